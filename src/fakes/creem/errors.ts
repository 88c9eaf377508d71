import { type Answer, ApiError, type Refusal } from '../engine/index.ts'

/** 404 for an unknown id. */
export function missing(what: string): ApiError {
  return new ApiError(404, `${what} not found`)
}

/** Translates a refusal of the engine to Creem's error. */
export function toApiError({ code }: Refusal): ApiError {
  return new ApiError(400, code === 'declined' ? 'Payment was declined' : `It is refused: ${code}`)
}

const errors: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
}

/** Builds the body of an error. https://docs.creem.io/api-reference/error-codes */
export function errorAnswer({ status, message }: ApiError, trace: string): Answer {
  return {
    status,
    body: {
      trace_id: trace,
      status,
      error: errors[status] ?? 'Internal Server Error',
      ...(status === 403 ? {} : { message: [message] }),
      timestamp: 0,
    },
  }
}
