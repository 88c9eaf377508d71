import type { Answer, Refusal } from '../../../merchant/index.ts'

/** An answer that is an error. https://docs.lemonsqueezy.com/api/getting-started/requests */
export class ApiError extends Error {
  readonly status: number
  readonly pointer: string | undefined
  constructor(status: number, detail: string, pointer?: string) {
    super(detail)
    this.name = 'ApiError'
    this.status = status
    this.pointer = pointer
  }
}

/** 422 of a field that is wrong. */
export const invalid = (field: string, detail: string): ApiError =>
  new ApiError(422, detail, `/data/attributes/${field}`)

/** 404 of an id that nobody has. */
export const missing = (id: string): ApiError => new ApiError(404, `The resource ${id} was not found.`)

/** What the merchant does not do, in Lemon Squeezy's words. */
export const toApiError = ({ code }: Refusal): ApiError => new ApiError(422, `It is refused: ${code}.`)

const titles: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  404: 'Not Found',
  422: 'Unprocessable Entity',
}

/** The body of an error. */
export const errorAnswer = ({ status, message, pointer }: ApiError): Answer => ({
  status,
  body: {
    jsonapi: { version: '1.0' },
    errors: [
      {
        detail: message,
        status: String(status),
        title: titles[status] ?? 'Server Error',
        ...(pointer === undefined ? {} : { source: { pointer } }),
      },
    ],
  },
})
