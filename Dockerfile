ARG NODE_VERSION=24

FROM docker.io/library/node:${NODE_VERSION}-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# What is left is what runs: Node reads no TypeScript of packages, and nobody their maps and manuals; licences stay.
RUN npm run build && npm prune --omit=dev --ignore-scripts && \
    find dist node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' \
      -o -name '*.md' ! -iname '*licen[cs]e*' \) -delete && \
    find node_modules -type d -empty -delete

FROM docker.io/library/node:${NODE_VERSION}-slim
LABEL org.opencontainers.image.title="mailing-sync-mock" \
      org.opencontainers.image.description="A high-fidelity test double of the Mailing Synchronization Service" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="0.1.0"
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY package.json LICENSE ./
COPY fixtures fixtures
COPY scenarios scenarios
COPY docs docs
COPY examples/kits examples/kits
COPY openapi.yaml openapi-3.0.yaml CHANGELOG.md SECURITY.md ./
COPY --from=build /app/dist dist

# A container's port is published on purpose, so listening everywhere is right here and nowhere else.
ENV NODE_ENV=production \
    MAILING_SYNC_MOCK_HOST=0.0.0.0 \
    MAILING_SYNC_MOCK_DATA=/data
# A named volume takes its owner from here, so the mock may write there.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 4025
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "/app/dist/main.js", "health"]
ENTRYPOINT ["node", "/app/dist/main.js"]
