//! A machine from a TOML text, with every mistake named where it stands.

use std::sync::Arc;
use std::time::Duration;

use onceflow_study::{
    Diagnostic, Diagnostics, FromNode, LocatedNode, Mismatch, Size, SourceText, TableReader, parse_toml,
};

use super::{Machine, Network, NodeKind, SharedFiles};

/// More nodes, or devices of a node, than real machines have; keeps a mistyped number from taking all memory.
const MOST_NODES: u64 = 100_000;
const MOST_DEVICES: u64 = 4096;

/// Bytes per second.
struct Rate(f64);

impl Machine {
    /// Reads a machine.
    ///
    /// ```
    /// # use onceflow_cluster::Machine;
    /// # use onceflow_study::SourceText;
    /// let text = "[[node]]\ncount = 256\ncpus = 28\nmemory = \"64 GiB\"\n[files]\nbandwidth = \"40 GB/s\"";
    /// let machine = Machine::parse(&SourceText::new("cluster.toml", text)).unwrap();
    /// assert_eq!((machine.node_count(), machine.workers()), (256, (7168, 0)));
    /// ```
    ///
    /// # Errors
    /// When the text is no TOML, or does not describe a machine.
    pub fn parse(source: &Arc<SourceText>) -> Result<Self, Diagnostics> {
        let root = parse_toml(source).map_err(|diagnostic| Diagnostics::from(*diagnostic))?;
        let mut messages = Diagnostics::default();
        let machine = machine(source, &root, &mut messages);
        match machine {
            Some(machine) if !messages.has_errors() => Ok(machine),
            _ => Err(messages),
        }
    }
}

fn machine(source: &Arc<SourceText>, root: &LocatedNode, messages: &mut Diagnostics) -> Option<Machine> {
    let mut fields = TableReader::new(source, root, "machine", messages)?;
    let kinds: Option<&[LocatedNode]> = fields.required("node");
    let network: Option<&LocatedNode> = fields.optional("network");
    let files: Option<&LocatedNode> = fields.optional("files");
    let gpu: Option<Rate> = fields.optional("gpu_link");
    let disk: Option<Rate> = fields.optional("disk");
    fields.finish();
    let nodes: Vec<NodeKind> = kinds?.iter().filter_map(|node| kind(source, node, messages)).collect();
    let most = nodes.iter().fold(0u64, |sum, kind| sum.saturating_add(kind.count as u64));
    if most == 0 || most > MOST_NODES {
        let found = format!("{most} nodes");
        let wrong = Diagnostic::error("the machine has no nodes, or too many").at(source, root.span, "");
        messages.push(wrong.expected_found(format!("from 1 to {MOST_NODES} nodes"), found));
    }
    let other = Machine::of(NodeKind::of_cpus(1, 0));
    Some(Machine {
        nodes,
        network: network.map_or_else(Network::default, |node| read_network(source, node, messages)),
        files: files.map_or_else(SharedFiles::default, |node| read_files(source, node, messages)),
        gpu_link: gpu.map_or(other.gpu_link, |rate| rate.0),
        disk: disk.map_or(other.disk, |rate| rate.0),
    })
}

fn kind(source: &Arc<SourceText>, node: &LocatedNode, messages: &mut Diagnostics) -> Option<NodeKind> {
    let mut fields = TableReader::new(source, node, "node", messages)?;
    let count = fields.optional("count").unwrap_or(1u64);
    let cpus: Option<u64> = fields.required("cpus");
    let gpus: u64 = fields.optional("gpus").unwrap_or(0);
    let memory: Option<Size> = fields.required("memory");
    let ahead: u64 = fields.optional("ahead").unwrap_or(1);
    if count > MOST_NODES {
        fields.error("count", "too many nodes", format!("at most {MOST_NODES}"));
    }
    let workers = cpus.unwrap_or(1).saturating_add(gpus);
    if workers == 0 || workers > MOST_DEVICES {
        fields.error(
            "cpus",
            "a node with no devices, or too many",
            format!("from 1 to {MOST_DEVICES} with gpus"),
        );
    }
    if cpus == Some(0) {
        fields.error("cpus", "a node without cores", "at least one core: some tasks run on nothing else");
    }
    if ahead > MOST_DEVICES {
        fields.error("ahead", "too many buckets asked for ahead", format!("at most {MOST_DEVICES}"));
    }
    fields.finish();
    let [count, cpus, gpus, ahead] = [count, cpus?, gpus, ahead].map(|n| n as usize);
    Some(NodeKind { count, cpus, gpus, memory: memory?.0, ahead })
}

fn read_network(source: &Arc<SourceText>, node: &LocatedNode, messages: &mut Diagnostics) -> Network {
    let usual = Network::default();
    let Some(mut fields) = TableReader::new(source, node, "network", messages) else { return usual };
    let mut seconds = |key: &str, usual: f64| {
        let found: Option<Duration> = fields.optional(key);
        found.map_or(usual, |duration| duration.as_secs_f64())
    };
    let network = Network {
        latency: seconds("latency", usual.latency),
        service: seconds("service", usual.service),
        detection: seconds("detection", usual.detection),
    };
    fields.finish();
    network
}

fn read_files(source: &Arc<SourceText>, node: &LocatedNode, messages: &mut Diagnostics) -> SharedFiles {
    let usual = SharedFiles::default();
    let Some(mut fields) = TableReader::new(source, node, "files", messages) else { return usual };
    let bandwidth: Option<Rate> = fields.optional("bandwidth");
    let node_bandwidth: Option<Rate> = fields.optional("node_bandwidth");
    let bytes: f64 = fields.optional("bytes_per_pixel").unwrap_or(usual.bytes_per_pixel);
    if bytes < 0.0 {
        fields.error("bytes_per_pixel", "a pixel of less than nothing", "0 or more");
    }
    fields.finish();
    SharedFiles {
        bandwidth: bandwidth.map_or(usual.bandwidth, |rate| rate.0),
        node_bandwidth: node_bandwidth.map_or(usual.node_bandwidth, |rate| rate.0),
        bytes_per_pixel: bytes,
    }
}

impl FromNode<'_> for Rate {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        let wrong = || Mismatch::new(node, "bytes per second above 0, such as \"12 GB/s\"");
        let text = node.as_text().ok_or_else(wrong)?;
        let bytes = text.trim().strip_suffix("/s").and_then(|bytes| Size::parse(bytes).ok());
        bytes.filter(|bytes| bytes.0 > 0).map(|bytes| Self(bytes.0 as f64)).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Machine, String> {
        Machine::parse(&SourceText::new("machine.toml", text)).map_err(|messages| messages.to_string())
    }

    #[test]
    fn all_that_can_be_said_is_read() {
        let text = r#"
            gpu_link = "6 GB/s"
            disk = "200 MB/s"
            [[node]]
            count = 2
            cpus = 12
            gpus = 3
            memory = "24 GiB"
            ahead = 4
            [[node]]
            cpus = 1
            memory = "1 GiB"
            [network]
            latency = "0.5 ms"
            service = 1e-5
            detection = "1 min"
            [files]
            bandwidth = "10 GB/s"
            node_bandwidth = "1 GB/s"
            bytes_per_pixel = 4
        "#;
        let machine = read(text).unwrap();
        let node = NodeKind { count: 2, cpus: 12, gpus: 3, memory: 24 << 30, ahead: 4 };
        assert_eq!(machine.nodes, [node, NodeKind::of_cpus(1, 1 << 30)]);
        assert_eq!(machine.network, Network { latency: 5e-4, service: 1e-5, detection: 60.0 });
        let files = SharedFiles { bandwidth: 1e10, node_bandwidth: 1e9, bytes_per_pixel: 4.0 };
        assert_eq!((machine.files.clone(), machine.gpu_link, machine.disk), (files, 6e9, 2e8));
        assert_eq!((machine.node_count(), machine.workers()), (3, (25, 6)));
    }

    proptest::proptest! {
        #[test]
        fn no_text_does_harm(text in ".*", number in proptest::num::i64::ANY, cut in 0usize..60) {
            let _ = read(&text);
            let node = format!("[[node]]\ncount = {number}\ncpus = {number}\nmemory = {number}\nahead = {number}\n");
            if let Ok(machine) = read(&node) {
                proptest::prop_assert!((1..=100_000).contains(&machine.node_count()));
            }
            let _ = read(&node[..cut.min(node.len())]);
        }
    }

    #[test]
    fn mistakes_are_named_where_they_stand() {
        let said = |text: &str| read(text).unwrap_err();
        assert!(said("").contains("the machine has no `node`"));
        assert!(said("[[node]]\ncpus = 0\nmemory = 1").contains("a node without cores"));
        assert!(said("[[node]]\ncpus = 1\nmemory = 1\ncount = 0").contains("no nodes"));
        assert!(said("[[node]]\ncpus = 1\nmemory = 1\ncount = 9999999").contains("too many nodes"));
        assert!(said("[[node]]\ncpu = 1\nmemory = 1").contains("cpus"));
        let rate = said("disk = \"5 GB\"\n[[node]]\ncpus = 1\nmemory = 1");
        assert!(rate.contains("bytes per second above 0"), "{rate}");
    }
}
