"""The sidecar as a login item: definitions for each system's service manager (pure), and the calls that put them in place."""

from sidecar.login_item.definition import LoginItem, Platform, ServiceDefinition, Step

__all__ = ["LoginItem", "Platform", "ServiceDefinition", "Step"]
