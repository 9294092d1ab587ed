# The image of the gateway: `docker build -t dataset-catalog .` (docs/deploying.md)
#
#   docker run --stop-timeout 30 --read-only --tmpfs /tmp -v catalog:/data -p 4000:4000 dataset-catalog                    # embedded PostGIS
#   docker run --stop-timeout 30 --read-only --tmpfs /tmp -e DATABASE_URL=postgresql://... -p 4000:4000 dataset-catalog    # a server

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS package
WORKDIR /checkout
COPY . .
RUN npm ci --no-audit --no-fund && npm pack

# The first start writes what later ones read: the part of PostGIS that is used, and compiled modules.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS installed
WORKDIR /app
COPY --from=package /checkout/dataset-catalog-*.tgz /tmp/
RUN echo '{}' > package.json && npm install --no-audit --no-fund /tmp/dataset-catalog-*.tgz \
  && DATA_DIR=/tmp/data npx catalog migrate

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data PATH=/app/node_modules/.bin:$PATH
WORKDIR /app
COPY --from=installed /app /app
RUN install -d -o node -g node /data
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["catalog", "serve"]
