import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<
    string,
    { description: string; headers?: object; content?: Record<string, Media> }
  >
}
export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'header' | 'path'
  readonly required?: boolean
  readonly schema: Schema
}
export type Schema = Record<string, unknown>
interface Media {
  readonly schema: Schema
}
export interface OpenApi {
  readonly openapi: string
  readonly info: { title: string; version: string; description: string; contact: Record<string, string> }
  readonly servers: readonly { url: string }[]
  readonly security: readonly Record<string, unknown[]>[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { schemas: Record<string, Schema>; securitySchemes: Record<string, Schema> }
}

// Compiling costs more than all else here, and most sites of the tests have the same schemas.
const validators = new Map<string, ReturnType<typeof createValidators>>()

function createValidators({ components }: OpenApi) {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  formats.default(ajv)
  ajv.addKeyword('components')
  ajv.addSchema({ $id: 'index:document', components }, undefined, false, false)
  const compiled = new Map<string, ValidateFunction>()
  /** A schema of the document, whose references lead into the document. */
  const compile = (schema: Schema): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"index:document#/')
    const known = compiled.get(text) ?? ajv.compile(JSON.parse(text) as Schema)
    compiled.set(text, known)
    return known
  }
  return { ajv, compile }
}

/** The document of a running site, of its index unless said otherwise, and a check of answers against it. */
export async function openDocument(site: string, at = '/reports/openapi.json') {
  const document = (await (await fetch(`${site}${at}`)).json()) as OpenApi
  const components = JSON.stringify(document.components)
  const known = validators.get(components) ?? createValidators(document)
  validators.set(components, known)
  const { ajv, compile } = known

  /** Fails with what the document does not say about an answer. */
  const checkAnswer = async (method: string, path: string, response: Response): Promise<void> => {
    const at = `${method} ${path} → ${response.status}`
    const refuse = (why: string): never => {
      throw new Error(`${at}: ${why}`)
    }
    const text = await response.clone().text()
    const type = (response.headers.get('content-type') ?? '').split(';')[0]
    const needsPause = [202, 429, 503].includes(response.status) && path.startsWith('/reports')
    if (needsPause && !/^[1-9]\d*$/.test(response.headers.get('retry-after') ?? ''))
      refuse('Retry-After is missing')

    if (isAboutItself(path) && response.status === 200) return
    const operations = pathOf(document, path)
    const operation = operations?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
    const range = `${String(response.status)[0]}XX`
    const answer = operation?.responses[response.status] ?? operation?.responses[range]
    if (operation && !answer) refuse(`${operation.operationId} does not name this status: ${text}`)
    if (!operation && response.status !== (operations ? 405 : 404))
      refuse('nothing is said of this operation')
    const content = answer ? answer.content : problemContent
    if (!content || method === 'HEAD') return text === '' ? undefined : refuse(`a body: ${text}`)
    const media = content[type ?? ''] ?? refuse(`the type ${type}`)
    const validate = compile(media.schema)
    const body: unknown = /json$/.test(type ?? '') ? JSON.parse(text) : text
    if (!validate(body)) refuse(`${ajv.errorsText(validate.errors)} in ${text}`)
    if (answer && type === 'application/problem+json') checkProblem(body as Schema, response.status, refuse)
  }

  // The schema is open, as RFC 9457 wants it; what we answer is described all the same.
  const described = Object.keys((document.components.schemas.Problem?.properties ?? {}) as object)
  const checkProblem = (body: Schema, status: number, refuse: (why: string) => never) => {
    if (body.status !== status) refuse(`the body says ${body.status}`)
    for (const name of Object.keys(body)) if (!described.includes(name)) refuse(`${name} is not described`)
  }

  return { document, compile, checkAnswer }
}
export type Document = Awaited<ReturnType<typeof openDocument>>

const problemContent: Record<string, Media> = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
}

// The document and its page are no operations of the document.
function isAboutItself(path: string): boolean {
  return /^\/reports\/(docs|openapi\.json)\/?$/.test(path)
}

// An address as it stands goes before one with a parameter. Source: OpenAPI 3.1, Paths Object.
function pathOf({ paths }: OpenApi, path: string): Record<string, Operation> | undefined {
  const plain = path.replace(/[?#].*$/, '').replace(/(?<=.)\/$/, '')
  if (paths[plain]) return paths[plain]
  if (isAboutItself(plain)) return {}
  const found = Object.keys(paths).find((template) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(plain),
  )
  return found === undefined ? undefined : paths[found]
}
