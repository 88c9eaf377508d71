import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly {
    name: string
    in: string
    required?: boolean
    schema: Record<string, unknown>
  }[]
  readonly responses: Record<string, { content?: Record<string, { schema: { $ref: string } }> }>
}
export interface OpenApi {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { schemas: Record<string, object> }
}

/** The document of a running index, and a check of real answers against it. */
export const openDocument = async (site: string) => {
  const document = (await (await fetch(`${site}/reports/openapi.json`)).json()) as OpenApi
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  ;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
  ajv.addVocabulary(['components'])
  ajv.addSchema({ $id: 'document', components: document.components })
  const compiled = new Map<string, ReturnType<Ajv2020['compile']>>()
  const validatorOf = (ref: string) => {
    const known = compiled.get(ref)
    if (known) return known
    const made = ajv.compile({ $ref: `document${ref}` })
    compiled.set(ref, made)
    return made
  }
  const operationOf = (method: string, path: string): Operation | undefined => {
    const wanted = path.split('?')[0]!
    // An address as it stands goes before one with a placeholder, if it knows the method.
    const templates = Object.keys(document.paths)
      .filter((one) => new RegExp(`^${one.replace('{id}', '[^/]+')}$`).test(wanted))
      .sort((a) => (a === wanted ? -1 : 1))
    return templates
      .map((one) => document.paths[one]?.[method.toLowerCase()])
      .find((one) => one !== undefined)
  }

  /** What of an answer the document does not say; empty when all is well. */
  const faultsOf = (
    method: string,
    path: string,
    answer: { status: number; type: string | null; text: string },
  ): string[] => {
    const operation = operationOf(method === 'HEAD' ? 'GET' : method, path)
    if (!operation)
      return answer.status === 404 || answer.status === 405 ? [] : [`${method} ${path} is not described`]
    const described = operation.responses[answer.status]
    if (!described)
      return [`${operation.operationId} does not describe ${answer.status}: ${answer.text.slice(0, 300)}`]
    if (!described.content)
      return answer.text === '' ? [] : [`${operation.operationId} ${answer.status} has a body`]
    if (method === 'HEAD') return []
    const type = answer.type?.split(';')[0] ?? ''
    const content = described.content[type]
    if (!content) return [`${operation.operationId} ${answer.status} is ${type}`]
    const validate = validatorOf(content.schema.$ref)
    const problem =
      type.includes('problem') && !JSON.parse(answer.text).action ? ['the problem has no action'] : []
    if (validate(JSON.parse(answer.text))) return problem
    return [
      ...problem,
      ...(validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${operation.operationId} ${answer.status} ${instancePath} ${message} ${JSON.stringify(params)}`,
      ),
    ]
  }

  return { document, ajv, faultsOf, validatorOf }
}
export type Documented = Awaited<ReturnType<typeof openDocument>>
