"""What agents are told and may do: tools, hints, context. Nothing here deletes or buries."""
