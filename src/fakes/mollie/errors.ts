import type { Answer, KeyTrouble, Refusal } from '../engine/index.ts'

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized Request',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  422: 'Unprocessable Entity',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** An error of Mollie's API. https://docs.mollie.com/reference/error-handling */
export class MollieError extends Error {
  readonly status: number
  readonly field: string | undefined
  constructor(status: number, detail: string, field?: string) {
    super(detail)
    this.name = 'MollieError'
    this.status = status
    this.field = field
  }
}

/** Builds the error of a bad request. */
export function invalid(detail: string, field?: string): MollieError {
  return new MollieError(422, detail, field)
}

/** Builds the error of an unknown object. */
export function missing(what: string, id: string): MollieError {
  return new MollieError(404, `No ${what} exists with token ${id}.`)
}

/** Translates a refusal of the engine to Mollie's error. */
export function toMollieError({ code }: Refusal): MollieError {
  if (code === 'refunded already') return new MollieError(409, 'The payment has already been refunded')
  if (code === 'more than is left') return invalid('The specified amount cannot be refunded', 'amount')
  return invalid(`The request cannot be done: ${code}`)
}

/** Builds the error of an idempotency key. */
export function refuseKey(trouble: KeyTrouble): MollieError {
  return new MollieError(trouble === 'in use' ? 409 : 422, `The idempotency key cannot be used: ${trouble}`)
}

/** Builds the answer of an error. */
export function toFailure(status: number, detail = 'An error occurred', field?: string): Answer {
  return {
    status,
    body: {
      status,
      title: titles[status] ?? 'Error',
      detail,
      ...(field === undefined ? {} : { field }),
      _links: {
        documentation: { href: 'https://docs.mollie.com/reference/error-handling', type: 'text/html' },
      },
    },
  }
}
