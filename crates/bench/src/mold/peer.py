"""The peer of `onceflow bench mold`: PyGAD over a simulator of the paper's rule, both in Python.

One request on standard input, one answer on standard output."""
import heapq
import json
import sys
import time


def simulate(tasks, nodes, plan):
    """The makespan of a plan: jobs in order, backfilling within the window of the first that waits (width 1)."""
    count = len(tasks)
    width = [tasks[i]["counts"][plan[i]] for i in range(count)]
    run = [tasks[i]["seconds"][plan[i]] for i in range(count)]
    limit = [-(-r * 11 // 10) for r in run]
    after = [t["after"] for t in tasks]
    start, end, free, now = [None] * count, [None] * count, nodes, 0
    waiting, ends = list(range(count)), []

    def begin(job):
        nonlocal free
        start[job], end[job] = now, now + run[job]
        free -= width[job]
        heapq.heappush(ends, (end[job], job))

    while waiting or ends:
        ready = [j for j in waiting if all(end[a] is not None and end[a] <= now for a in after[j])]
        is_ready = set(ready)
        while waiting and waiting[0] in is_ready and width[waiting[0]] <= free:
            begin(waiting.pop(0))
        if waiting:
            head = waiting[0]
            open_before = [a for a in after[head] if end[a] is None or end[a] > now]
            if all(start[a] is not None for a in open_before):
                window = max([start[a] + limit[a] for a in open_before], default=now)
                have, enough = free, now
                for planned, job in sorted((start[j] + limit[j], j) for _, j in ends):
                    if have >= width[head]:
                        break
                    have, enough = have + width[job], planned
                window = max(window, enough)
                for job in ready:
                    if job != head and start[job] is None and width[job] <= free and now + limit[job] <= window:
                        begin(job)
                        waiting.remove(job)
        if ends:
            now = ends[0][0]
            while ends and ends[0][0] == now:
                free += width[heapq.heappop(ends)[1]]
    return max(end, default=0)


def gosa(request):
    import pygad

    tasks, nodes = request["tasks"], request["nodes"]
    spent = {"seconds": 0.0, "evaluations": 0}

    def fitness(_instance, solution, _index):
        began = time.perf_counter()
        makespan = simulate(tasks, nodes, [int(gene) for gene in solution])
        spent["seconds"] += time.perf_counter() - began
        spent["evaluations"] += 1
        return -makespan

    found = []
    population = request["population"]
    for seed in range(request["seeds"]):
        search = pygad.GA(
            num_generations=request["evaluations"] // population,
            num_parents_mating=population // 2,
            sol_per_pop=population,
            num_genes=len(tasks),
            gene_space=[list(range(len(t["counts"]))) for t in tasks],
            gene_type=int,
            parent_selection_type="tournament",
            K_tournament=3,
            crossover_type="uniform",
            mutation_type="random",
            mutation_probability=0.03,
            keep_elitism=2,
            fitness_func=fitness,
            random_seed=seed,
            suppress_warnings=True,
        )
        search.run()
        found.append(-search.best_solution()[1])
    return {"makespans": [int(m) for m in found], "seconds_per_evaluation": spent["seconds"] / spent["evaluations"]}


request = json.load(sys.stdin)
if request["do"] == "names":
    import pygad

    answer = {"name": "PyGAD " + pygad.__version__}
elif request["do"] == "simulate":
    answer = {"makespans": [simulate(request["tasks"], request["nodes"], plan) for plan in request["plans"]]}
else:
    answer = gosa(request)
json.dump(answer, sys.stdout)
