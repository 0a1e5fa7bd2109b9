//! Where results come from: the command, the files with their digests, the times.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use onceflow_report::{Provenance, UsedFile};

use crate::{OpenStudy, Run, RunFolder};

/// Where the results of a run that has just ended come from; reads every file once for its digest.
pub(crate) fn provenance(study: &OpenStudy, run: &Run, folder: &RunFolder, command: &str) -> Provenance {
    let ended = SystemTime::now();
    let wall = Duration::try_from_secs_f64(run.answer.work.wall).unwrap_or_default();
    let began = ended.checked_sub(wall).unwrap_or(ended);
    Provenance {
        study: study.texts.study.clone(),
        workflow: study.texts.workflow.clone(),
        origin: study.origin(),
        folder: folder.path().display().to_string(),
        command: command.into(),
        began: time_text(began),
        ended: time_text(ended),
        files: files(study),
    }
}

fn files(study: &OpenStudy) -> Vec<UsedFile> {
    let digest = |source: &dyn onceflow_region::Source| {
        source.digest().map(|digest| digest.to_string()).unwrap_or_default()
    };
    let used = |role, image: &str, file: &str, digest| UsedFile {
        image: image.into(),
        role,
        file: file.into(),
        digest,
    };
    let mut files = Vec::new();
    let asked = |name: &str| study.study.images.iter().find(|image| image.name == name);
    let images = study.inputs.images.iter();
    for (asked, opened) in images.filter_map(|opened| Some((asked(&opened.name)?, opened))) {
        files.push(used("image", &asked.name, &asked.file, digest(opened.source.as_ref())));
        if let (Some(file), Some(truth)) = (&asked.truth, &opened.truth) {
            files.push(used("truth", &asked.name, file, digest(truth.source.as_ref())));
        }
    }
    files
}

/// A moment as RFC 3339 writes it, in whole seconds of universal time.
fn time_text(moment: SystemTime) -> String {
    let seconds = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The date of a day counted from 1 January 1970, in the Gregorian calendar.
fn date(days: u64) -> (u64, u64, u64) {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut rest) = (1970, days);
    while rest >= 365 + u64::from(is_leap(year)) {
        rest -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    (year, month, rest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_that_others_write() {
        let text = |seconds| time_text(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(text(0), "1970-01-01T00:00:00Z");
        assert_eq!(text(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(text(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(text(4_102_444_800), "2100-01-01T00:00:00Z");
        assert_eq!(text(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
