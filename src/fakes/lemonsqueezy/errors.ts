import { type Answer, ApiError, type Refusal } from '../engine/index.ts'

/** 422 for an invalid field. */
export function invalid(field: string, detail: string): ApiError {
  return new ApiError(422, detail, { field })
}

/** 404 for an unknown id. */
export function missing(id: string): ApiError {
  return new ApiError(404, `The resource ${id} was not found.`)
}

/** Translates a refusal of the engine to Lemon Squeezy's error. */
export function toApiError({ code }: Refusal): ApiError {
  return new ApiError(422, `It is refused: ${code}.`)
}

const titles: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  404: 'Not Found',
  422: 'Unprocessable Entity',
}

/** Builds the body of an error. https://docs.lemonsqueezy.com/api/getting-started/requests */
export function errorAnswer({ status, message, extras: { field } }: ApiError): Answer {
  return {
    status,
    body: {
      jsonapi: { version: '1.0' },
      errors: [
        {
          detail: message,
          status: String(status),
          title: titles[status] ?? 'Server Error',
          ...(field === undefined ? {} : { source: { pointer: `/data/attributes/${field}` } }),
        },
      ],
    },
  }
}
