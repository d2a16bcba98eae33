# pbemd alone in an image: one static program, the certificate authorities, and
# /data for what is embedded. `scripts/dockerfile-steps` carries out these steps
# without Docker; docs/operations.md says how to run the image.

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ENV CGO_ENABLED=0
RUN mkdir -p out/data && go build -trimpath -o out/pbemd ./cmd/pbemd

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /src/out/pbemd /usr/bin/pbemd
COPY --from=build --chown=65532:65532 /src/out/data /data
USER 65532:65532
WORKDIR /data
VOLUME /data
# pbemd drains for up to 20 s, and then cancels what still runs, for up to 10 s;
# Docker's own patience is 10 s: run it with --stop-timeout 40.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=15s --start-period=30s --retries=3 \
  CMD ["/usr/bin/pbemd", "doctor", "--health", "--config", "/etc/pbemd/pbemd.toml"]
ENTRYPOINT ["/usr/bin/pbemd"]
CMD ["serve", "--config", "/etc/pbemd/pbemd.toml"]
