"""What ``deploy`` has for several servers is valid, and its parts agree with each other and with the app."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from mha_api import ready
from mha_api.rooms import redis_link
from tools.drive import proxy

DEPLOY = Path(proxy.CONFIGURATION).parent
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
KUBERNETES = DEPLOY / "kubernetes"
MANIFESTS = sorted(path for path in KUBERNETES.rglob("*.yaml") if path.name != "kustomization.yaml")
OBJECTS = [one for path in MANIFESTS for one in yaml.safe_load_all(path.read_text("utf-8"))]


def kind(name, of="mha"):
    (found,) = (one for one in OBJECTS if (one["kind"], one["metadata"]["name"]) == (name, of))
    return found


# --- HAProxy ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of this machine, and its key, in one file."""
    folder = tmp_path_factory.mktemp("certificate")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    subprocess.run(
        [*made, "-keyout", folder / "key", "-out", folder / "crt"], check=True, capture_output=True
    )
    (folder / "pem").write_text((folder / "crt").read_text("ascii") + (folder / "key").read_text("ascii"))
    return str(folder / "pem")


@pytest.mark.parametrize(
    "settings",
    [{}, {"MHA_REPLICA_1": "127.0.0.1:8501", "MHA_REPLICA_2": "127.0.0.1:8502"}, {"MHA_CERTIFICATE": "…"}],
    ids=["by name", "by address", "with TLS"],
)
def test_the_configuration_of_haproxy_is_valid(settings, certificate):
    if not (command := proxy.executable()):
        pytest.skip(proxy.REASON)
    settings = {name: certificate if value == "…" else value for name, value in settings.items()}
    checked = subprocess.run(
        [command, "-c", "-f", proxy.CONFIGURATION],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
    assert "WARNING" not in checked.stdout + checked.stderr


# --- compose ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_every_service_is_read_only_without_privileges_and_has_a_health_check(name):
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["healthcheck"]["test"]


def test_only_the_proxy_is_reached_from_outside():
    services = COMPOSE["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert [name for name, service in services.items() if "outside" in service["networks"]] == ["proxy"]
    assert COMPOSE["networks"]["inside"]["internal"] is True


def test_a_server_has_the_time_that_it_needs_to_stop():
    app = COMPOSE["services"]["app"]
    pod = kind("Deployment")["spec"]["template"]["spec"]
    (generated,) = yaml.safe_load((KUBERNETES / "base/kustomization.yaml").read_text("utf-8"))[
        "configMapGenerator"
    ]
    in_pod = dict(literal.split("=", 1) for literal in generated["literals"])
    for settings, grace in [
        (app["environment"], int(app["stop_grace_period"].removesuffix("s"))),
        (in_pod, pod["terminationGracePeriodSeconds"]),
    ]:
        assert ready.drain(settings) + ready.CLOSING < grace <= 25


def test_the_documentation_says_how_long_it_takes():
    hosting = (DEPLOY.parent / "docs" / "hosting.md").read_text("utf-8")
    assert f"no longer counted after {redis_link.ALIVE:.0f} seconds" in hosting
    assert f"ends at most {ready.CLOSING:.0f} seconds later" in hosting


# --- Kubernetes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_manifests_are_valid(path):
    import kubernetes_validate  # takes seconds, and every collection imports this file

    for one in yaml.safe_load_all(path.read_text("utf-8")):
        if path.name == "service.yaml" and path.parent.name == "traefik":
            one["spec"] = kind_of_base("Service")["spec"]  # it is a patch
        kubernetes_validate.validate(one, "1.34", strict=True)


def kind_of_base(name):
    (found,) = (
        one
        for path in MANIFESTS
        if path.parent.name == "base"
        for one in yaml.safe_load_all(path.read_text("utf-8"))
        if (one["kind"], one["metadata"]["name"]) == (name, "mha")
    )
    return found


@pytest.mark.parametrize("folder", ["base", "traefik", "haproxy"])
def test_a_kustomization_names_every_file_beside_it(folder):
    named = yaml.safe_load((KUBERNETES / folder / "kustomization.yaml").read_text("utf-8"))
    files = {*named["resources"], *(patch["path"] for patch in named.get("patches", ()))} - {"../base"}
    there = {path.name for path in (KUBERNETES / folder).glob("*.yaml")} - {"kustomization.yaml"}
    assert files == there


def test_what_selects_pods_selects_those_of_the_deployment():
    deployment = kind("Deployment")["spec"]
    labels = deployment["template"]["metadata"]["labels"]
    assert deployment["selector"]["matchLabels"] == labels
    assert kind_of_base("Service")["spec"]["selector"] == labels
    assert kind("PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == labels
    assert kind("NetworkPolicy")["spec"]["podSelector"]["matchLabels"] == labels
    assert kind("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]["name"] == "mha"


def test_a_browser_stays_with_its_server_by_a_cookie_and_never_by_its_address():
    texts = [path.read_text("utf-8") for path in [proxy.CONFIGURATION, *MANIFESTS]]
    assert sum("mha_replica" in text for text in texts) == 3  # HAProxy, Traefik, and HAProxy's ingress
    assert not any("balance source" in text or "ClientIP" in text for text in texts)
