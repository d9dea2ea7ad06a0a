#!/usr/bin/env bash
# Tags the commit that gave this version its dated section in CHANGELOG.md. Pushing the tag is left to whoever releases.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
tag="v$version"
if git rev-parse --quiet --verify "refs/tags/$tag" >/dev/null; then
  echo "$tag is there already: $(git log -1 --format='%h %s' "$tag")"
  exit
fi
if ! grep --quiet "^## \[$version\] - [0-9]\{4\}-[0-9]\{2\}-[0-9]\{2\}$" CHANGELOG.md; then
  echo "Expected a dated section \"## [$version] - YYYY-MM-DD\" in CHANGELOG.md; there is none." >&2
  exit 1
fi
commit=$(git log --reverse --format=%H -S"## [$version] - " -- CHANGELOG.md | sed -n 1p)
if [ -z "$commit" ]; then
  echo "Commit the section of $version in CHANGELOG.md first." >&2
  exit 1
fi
git tag --annotate "$tag" "$commit" --message "Hexarena $version"
echo "$tag: $(git log -1 --format='%h %s' "$commit")"
echo "Publish it: git push origin $tag"
