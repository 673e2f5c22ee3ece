# syntax=docker/dockerfile:1
# docker build -t crier:0.1.0 .        then see deploy/compose.yaml or deploy/kubernetes.yaml

# The version that scripts/prepare.mjs installs as well; the digest keeps the content from changing under the tag. A newer one:
# docker buildx imagetools inspect node:24.21.0-bookworm-slim
FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS build
WORKDIR /app
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ make python3 \
 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
COPY scripts ./scripts
RUN npm ci --omit=dev --no-audit --no-fund && npm run -s build:opus
# WAV and MP3, all that a speech service is asked for, are decoded in process. An ffmpeg (80 MB) is only for a service
# that answers with something else: --build-arg WITH_FFMPEG=yes keeps the one that npm downloaded.
ARG WITH_FFMPEG=no
# Sources of what is compiled by now, and binaries for other systems, are two thirds of node_modules.
RUN if [ "$WITH_FFMPEG" != yes ]; then rm -rf node_modules/ffmpeg-static; fi \
 && rm -rf node_modules/@discordjs/opus/deps node_modules/@types \
 && find node_modules/sodium-native/prebuilds -mindepth 1 -maxdepth 1 \
      ! -name "linux-$(node -p process.arch)" -exec rm -rf {} + \
 && find node_modules -name '*.map' -delete \
 && node -e "require('@discordjs/opus'); require('sodium-native'); require('@snazzah/davey')"

FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553
ENV NODE_ENV=production \
    DATA_DIR=/data \
    LOG_FORMAT=json
WORKDIR /app
RUN install -d -o node -g node -m 0700 /data
COPY package.json LICENSE NOTICE ./
COPY scripts/healthcheck.mjs ./scripts/
COPY --from=build /app/node_modules ./node_modules
COPY src ./src
USER node
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
# node itself, not npm: npm would not pass SIGTERM on, and the bot would be killed in the middle of a sentence.
CMD ["node", "--max-semi-space-size=2", "src/main.ts"]
