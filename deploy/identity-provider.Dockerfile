# The development identity provider, in which any name signs in. Never let it near real users.
FROM node:24.18.1-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
COPY scripts/install-sqlite.mjs ./scripts/
COPY clients/typescript/package.json ./clients/typescript/
COPY clients/page-reader/package.json ./clients/page-reader/
COPY formats/package.json ./formats/
COPY clients/resolver/package.json ./clients/resolver/
COPY clients/mcp/package.json ./clients/mcp/
COPY clients/extension/package.json ./clients/extension/
COPY web/package.json ./web/
RUN npm ci
COPY tsconfig.json tsconfig.dev.json ormconfig.ts ./
COPY formats ./formats
COPY src ./src
COPY dev ./dev
COPY test/support/servers ./test/support/servers
RUN npm run tsc -- --build tsconfig.dev.json
COPY deploy/identity-provider.mjs ./deploy/identity-provider.mjs
USER node
CMD ["node", "deploy/identity-provider.mjs"]
