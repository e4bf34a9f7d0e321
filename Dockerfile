# docker build -t mha .
# docker run --rm --read-only --tmpfs /tmp -p 8501:8501 mha
#
# It answers at http://localhost:8501 only: for visitors from elsewhere, -e MHA_HOSTS="course.example" must name the hosts
# by which they reach it. -e MHA_FRAME_ANCESTORS="https://course.example" the
# pages that may hold it in a frame.
#
# TORCH_BACKEND chooses torch's build: cpu, or auto, cu130 and so on for NVIDIA cards (uv's --torch-backend; run with
# --gpus all). Each comes from an index of torch's own. Where that is out of reach, --build-arg TORCH_BACKEND=none
# takes what pip finds for the plain pin, as pip is configured.

FROM python:3.11-slim AS build
ARG TORCH_BACKEND=cpu
WORKDIR /build
RUN python -m venv --without-pip /opt/venv \
 && pip install --no-cache-dir uv==0.13.8
COPY requirements-lock.txt ./
RUN if [ "$TORCH_BACKEND" = none ] || [ -z "$TORCH_BACKEND" ]; then \
        pip --python /opt/venv/bin/python install --no-cache-dir --no-compile -r requirements-lock.txt; \
    else \
        uv pip install --python /opt/venv/bin/python --no-cache --torch-backend "$TORCH_BACKEND" -r requirements-lock.txt; \
    fi
# Nobody builds against these packages or tests them in here: 260 MB less.
# The container cannot write bytecode, so it is all made here, and trusted without a look at a file's date.
# (torch's py312_ file is a test in a later Python's grammar.)
RUN find /opt/venv/lib -type d \( -name tests -o -path '*/torch/test' -o -path '*/torch/include' \) -prune -exec rm -rf {} + \
 && python -m compileall -q -j 0 --invalidation-mode unchecked-hash -x py312_ /opt/venv/lib

FROM python:3.11-slim
ENV PATH=/opt/venv/bin:$PATH \
    HOME=/tmp \
    MHA_HOSTS=localhost \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    OMP_NUM_THREADS=1 \
    STREAMLIT_BROWSER_GATHER_USAGE_STATS=false \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_HEADLESS=true \
    STREAMLIT_SERVER_PORT=8501
WORKDIR /app
COPY --from=build /opt/venv /opt/venv
COPY . .
# The official image comes without the standard library's bytecode.
RUN python -m compileall -q -j 0 --invalidation-mode unchecked-hash -x 'lib2to3|(site|dist)-packages' \
        "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')" /app
USER 10001:10001
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-m", "deploy.health"]
ENTRYPOINT ["streamlit", "run", "app.py"]
