# syntax=docker/dockerfile:1
# Two images from one file: `web` (API, dispatcher, scheduler, ratings, migrations; no compilers), `worker` (all toolchains, bubblewrap).
ARG PYTHON=3.12

FROM node:24-slim AS pages
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY games games
COPY frontend frontend
RUN python3 frontend/build.py

COPY scripts/kotlin /src/scripts/kotlin
COPY scripts/kotlin.sh /src/scripts/kotlin.sh
RUN mkdir -p /kotlin/lib /kotlin/bin && PREFIX=/kotlin bash /src/scripts/kotlin.sh && test -x /kotlin/bin/kotlinc

FROM ghcr.io/astral-sh/uv:0.13.8 AS uv

FROM python:${PYTHON}-slim-bookworm AS build
COPY --from=uv /uv /usr/local/bin/uv
ENV UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=/opt/venv
WORKDIR /src
COPY pyproject.toml uv.lock README.md LICENSE ./
RUN uv sync --locked --no-dev --extra server --no-install-project
COPY scripts/build_pages.py scripts/build_pages.py
COPY src src
COPY games games
COPY backend backend
COPY worker worker
COPY cli cli
COPY environments environments
COPY bench bench
COPY migrations migrations
COPY --from=pages /src/frontend/dist frontend/dist
RUN uv sync --locked --no-dev --extra server --no-editable

FROM python:${PYTHON}-slim-bookworm AS base
RUN groupadd --system --gid 10001 hexarena \
 && useradd --system --uid 10001 --gid hexarena --home-dir /nonexistent --shell /usr/sbin/nologin hexarena \
 && mkdir -p /data && chown hexarena:hexarena /data
COPY --from=build /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HEXARENA_DATA_FOLDER=/data
USER 10001:10001
WORKDIR /data
STOPSIGNAL SIGTERM

# Node.js and its canvas draw pictures of matches, for the previews of links.
FROM base AS web
COPY --from=pages /usr/local/bin/node /usr/local/bin/node
COPY --from=pages /src/frontend/node_modules/@napi-rs /opt/canvas/node_modules/@napi-rs
ENV HEXARENA_HOST=0.0.0.0 HEXARENA_CANVAS=/opt/canvas/node_modules/@napi-rs/canvas
EXPOSE 8000
CMD ["hexarena", "api"]

# Sandboxes get this image's own /usr: a root that nothing else on the host uses, so HEXARENA_TOOLCHAINS is not needed here.
# The packages are those that backend/submissions/languages names; a test holds the two together. Python is the image's own, and
# Node.js the one that built the pages, for the distribution's is no longer maintained by its makers.
FROM base AS worker
USER 0:0
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      bash bubblewrap cargo-web default-jdk-headless esbuild fp-compiler g++ gcc ghc golang-go ldc \
      librust-aho-corasick-dev librust-chrono-dev librust-itertools-dev librust-libc-dev librust-memchr-dev \
      librust-rand-dev librust-regex-dev librust-time-dev lua5.4 mono-mcs mono-runtime ocaml-nox perl php-cli \
      python3-numpy ruby rustc-web \
 && rm -rf /var/lib/apt/lists/*
RUN /usr/local/bin/python3 -m pip install --no-cache-dir numpy==2.5.5
COPY --from=pages /usr/local/bin/node /usr/local/bin/node
COPY --from=pages /kotlin/ /usr/local/
COPY docker/worker-entry.sh /usr/local/bin/worker-entry.sh
USER 10001:10001
CMD ["hexarena", "worker"]
