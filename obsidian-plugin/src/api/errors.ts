/** A problem the sidecar reported; `code` is stable, `fix` says what to do. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fix: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Nobody answered, or not the sidecar we know. */
export class Unreachable extends Error {
  constructor(message = "the sidecar does not answer") {
    super(message);
    this.name = "Unreachable";
  }
}
