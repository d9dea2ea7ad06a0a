"""`hexarena bench …`: measurements, each a command that prints one table; what is going on goes to standard error."""

import typer

from worker.benches.bots import bench_bots
from worker.benches.ladder import bench_ladder
from worker.benches.load import bench_load
from worker.benches.real_ladder import bench_real_ladder, bench_round_robin
from worker.benches.referees import bench_referees
from worker.benches.replays import bench_replays
from worker.benches.runner import bench_runner

app = typer.Typer(
    help="Measure bots, referees, replays, the runner, a crowded machine and the ladder.", no_args_is_help=True
)
app.command("bots")(bench_bots)
app.command("referees")(bench_referees)
app.command("replays")(bench_replays)
app.command("runner")(bench_runner)
app.command("load")(bench_load)
app.command("round-robin")(bench_round_robin)
app.command("real-ladder")(bench_real_ladder)
app.command("ladder")(bench_ladder)
