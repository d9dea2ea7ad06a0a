"""`hexarena bench …`: measurements, each a command that prints one table; progress goes to standard error."""

import typer

from hexarena.cli.bench.arena import bench_arena
from hexarena.cli.bench.bots import bench_bots
from hexarena.cli.bench.idle import bench_idle
from hexarena.cli.bench.ladder import bench_ladder
from hexarena.cli.bench.load import bench_load
from hexarena.cli.bench.pool import bench_pool
from hexarena.cli.bench.real_ladder import bench_real_ladder, bench_round_robin
from hexarena.cli.bench.referees import bench_referees
from hexarena.cli.bench.refits import bench_refits
from hexarena.cli.bench.replays import bench_replays
from hexarena.cli.bench.runner import bench_runner
from hexarena.cli.bench.starts import bench_starts
from hexarena.cli.bench.streams import bench_streams
from hexarena.cli.bench.uploads import bench_uploads
from hexarena.cli.bench.web import bench_web

app = typer.Typer(
    help="Measure bots, referees, replays, the runner, a busy machine, an arena at work and at rest, streams, pages, "
    "refits, ladders and the pool.",
    no_args_is_help=True,
)
app.command("bots")(bench_bots)
app.command("referees")(bench_referees)
app.command("replays")(bench_replays)
app.command("runner")(bench_runner)
app.command("starts")(bench_starts)
app.command("load")(bench_load)
app.command("arena")(bench_arena)
app.command("idle")(bench_idle)
app.command("uploads")(bench_uploads)
app.command("streams")(bench_streams)
app.command("web")(bench_web)
app.command("refits")(bench_refits)
app.command("round-robin")(bench_round_robin)
app.command("real-ladder")(bench_real_ladder)
app.command("ladder")(bench_ladder)
app.command("pool")(bench_pool)
