# The development identity provider, in which any name signs in. Never let it near real users.
FROM node:24.18.1-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.dev.json ormconfig.ts ./
COPY src ./src
COPY dev ./dev
RUN npm run tsc -- -p tsconfig.dev.json
COPY deploy/identity-provider.mjs ./deploy/identity-provider.mjs
USER node
CMD ["node", "deploy/identity-provider.mjs"]
