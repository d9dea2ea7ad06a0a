"""`hexarena bench …`: measurements, each a command that prints one table; what is going on goes to standard error."""

import typer

from worker.benches.bots import bench_bots
from worker.benches.load import bench_load
from worker.benches.referees import bench_referees
from worker.benches.replays import bench_replays
from worker.benches.runner import bench_runner

app = typer.Typer(help="Measure bots, referees, replays and the runner.", no_args_is_help=True)
app.command("bots")(bench_bots)
app.command("referees")(bench_referees)
app.command("replays")(bench_replays)
app.command("runner")(bench_runner)
app.command("load")(bench_load)
