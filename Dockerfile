# The service with its dashboard, as an image of its own. Build: docker build -t uptime-monitor . With Podman or buildah add
# --format docker.
# Release builds pass the base image by digest: --build-arg NODE_IMAGE=node:22-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:22-bookworm-slim

# Everything that is needed to build, and nothing of it in the image.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY CHANGELOG.md SECURITY.md ./
COPY docs ./docs
COPY scripts ./scripts
COPY packages ./packages
COPY src ./src
COPY web ./web
# Types and source maps are for who builds on it, not for who runs it.
RUN node scripts/build.mjs && find dist -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' \) -delete

# Production dependencies only. No install script runs: none is needed.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --no-audit --no-fund
RUN find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' \) -delete

FROM ${NODE_IMAGE}
# --build-arg REVISION="$(git rev-parse HEAD)" --build-arg SOURCE=https://…, the address of the repository.
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="uptime-monitor" \
      org.opencontainers.image.description="Uptime monitoring with a full REST API" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.licenses="MIT"
# tini passes signals on and reaps what is left; ping is the last resort of ICMP checks.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates iputils-ping tini \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o 1000 -g 1000 -m 0700 /data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
# Because of this HOST, AUTH=off needs AUTH_OFF_ANYWHERE=on as well.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
# A number, so that Kubernetes can see that it is not root. The root file system may be read-only: only /data is written.
USER 1000:1000
VOLUME /data
EXPOSE 3000
# Podman and buildah drop it in their own format: build with --format docker. The compose files have it as well.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# ICMP checks use unprivileged ping sockets, which Docker (20.10 or later) allows in the container's own network without
# any capability. Under --network host set net.ipv4.ping_group_range on the host; under rootless Podman add NET_RAW.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "dist/main.js"]
