# The service, with Redis, MCP, PDF, telemetry and access tokens, and without a browser.
# `docker build -t seekread .`; docs/guides/deployment.md says how it is run.

ARG PYTHON=3.13-slim-bookworm

FROM python:${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /src
# What is locked changes seldom, so it is a layer of its own.
COPY requirements/service.txt requirements/build.txt requirements/
RUN python -m venv /opt/seekread \
    && /opt/seekread/bin/pip install --require-hashes -r requirements/service.txt \
    && python -m venv /opt/build \
    && /opt/build/bin/pip install --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY tools/package_metadata.py tools/package_docs.py tools/
COPY docs docs
COPY src src
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /opt/seekread/bin/pip install --no-deps /wheels/*.whl \
    && /opt/seekread/bin/pip uninstall --yes pip \
    && python -m compileall -q /opt/seekread

FROM python:${PYTHON}
LABEL org.opencontainers.image.title="seekread" \
      org.opencontainers.image.description="Search the web and read pages, for AI agents: the HTTP service and the MCP server." \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /opt/seekread /opt/seekread
# Nothing is written but below /state, which is the only place this user may write to besides /tmp.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /state --shell /usr/sbin/nologin seekread \
    && install -d -o 10001 -g 10001 -m 0700 /state
ENV PATH=/opt/seekread/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    XDG_CONFIG_HOME=/state \
    XDG_STATE_HOME=/state
USER 10001:10001
WORKDIR /state
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=4s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8787/healthz', timeout=3)"]
ENTRYPOINT ["seekread"]
CMD ["serve", "--host", "0.0.0.0"]
