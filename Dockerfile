# docker build -t crier:0.1.0 .        then see deploy/compose.yaml or deploy/kubernetes.yaml

# The version that scripts/prepare.mjs installs as well; the digest keeps the content from changing under the tag. A newer one:
# docker buildx imagetools inspect node:24.21.0-bookworm-slim
FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS node

FROM node AS build
WORKDIR /app
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ make python3 \
 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
COPY scripts ./scripts
# WAV and MP3, all that a speech service is asked for, are decoded in process. ffmpeg-static's ffmpeg (76 MB) is only for a service
# that answers with something else: --build-arg WITH_FFMPEG=yes. Where its download fails, so does the build.
ARG WITH_FFMPEG=no
# slim.mjs: the sources of the encoder, which is compiled by now.
RUN npm ci --omit=dev --no-audit --no-fund \
 && if [ "$WITH_FFMPEG" = yes ]; then "$(node -p "require('ffmpeg-static')")" -version; else rm -rf node_modules/ffmpeg-static; fi \
 && npm run -s build:opus \
 && node scripts/slim.mjs \
 && node -e "require('@discordjs/opus'); require('sodium-native'); require('@snazzah/davey')"

# Debian and the one program of Node: npm, Yarn and the headers are a third of its image.
FROM node AS system
RUN rm -rf /opt/yarn-* /usr/local/bin/corepack /usr/local/bin/np[mx] /usr/local/bin/yarn* /usr/local/include \
      /usr/local/lib/node_modules /usr/local/share/doc /usr/local/share/man \
 && install -d -o node -g node -m 0700 /data

# One layer of it: what was removed is not there.
FROM scratch
COPY --from=system / /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_ENV=production \
    DATA_DIR=/data \
    NODE_COMPILE_CACHE=/app/.compiled \
    MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY package.json LICENSE NOTICE ./
COPY scripts/healthcheck.mjs ./scripts/
COPY --from=build /app/node_modules ./node_modules
COPY src ./src
RUN install -d -o node -g node .compiled
USER node
# What these load is compiled by now: a start takes a third less work, and 15 MB less memory. Without settings the bot ends with 78,
# and with anything else where it could not be loaded.
RUN said=$(node --max-semi-space-size=2 --no-concurrent-marking src/main.ts 2>&1); [ $? = 78 ] || { echo "$said"; exit 1; } \
 && node --max-semi-space-size=2 --no-concurrent-marking src/speech-service/main.ts --help > /dev/null
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
# node itself, not npm: npm would not pass SIGTERM on, and the bot would be killed in the middle of a sentence.
CMD ["node", "--max-semi-space-size=2", "--no-concurrent-marking", "src/main.ts"]
