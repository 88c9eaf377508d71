import test from 'ava'
import { reportSchema } from '../../../src/reports/schemas.ts'
import type { Operation } from '../../support/openapi.ts'
import { openIndex } from './support.ts'

function operationsOf(paths: Record<string, Record<string, Operation>>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
}

function refsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsOf(inner),
  )
}

test('the document is OpenAPI 3.1: every reference resolves, every operation has a unique id', async (t) => {
  const { document, site } = await openIndex(t)
  t.is(document.openapi, '3.1.0')
  t.deepEqual(document.servers, [{ url: site }])
  for (const ref of refsOf(document)) {
    t.regex(ref, /^#\//)
    const found = ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document)
    t.is(typeof found, 'object', ref)
  }
  const ids = operationsOf(document.paths).map((item) => item.operationId)
  t.is(new Set(ids).size, ids.length)
})

test('every parameter of a path is declared, once, and every answer is described', async (t) => {
  const { document, compile } = await openIndex(t)
  for (const item of operationsOf(document.paths)) {
    const at = `${item.method} ${item.path}`
    const parameters = item.parameters ?? []
    const names = parameters.map((parameter) => `${parameter.in}:${parameter.name}`)
    t.is(new Set(names).size, names.length, at)
    const inPath = [...item.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    t.deepEqual(
      parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
      inPath,
      at,
    )
    for (const parameter of parameters) {
      t.notThrows(() => compile(parameter.schema), `${at} ${parameter.name}`)
      if (parameter.in === 'path') t.true(parameter.required, at)
    }
    t.true(Object.keys(item.responses).length > 0)
    for (const [status, answer] of Object.entries(item.responses)) {
      t.regex(status, /^[2-4]\d\d$|^503$/)
      t.not(answer.description, '', at)
      const types = Object.keys(answer.content ?? {})
      t.deepEqual(types, typesOf(item.operationId, Number(status)), `${at} ${status}`)
    }
  }
})

/** The notices are a feed as well, for readers of RFC 4287. */
function typesOf(operationId: string, status: number): string[] {
  if (status === 204 || status === 304) return []
  if (operationId === 'listNotices' && status === 200) return ['application/json', 'application/atom+xml']
  return [status < 300 ? 'application/json' : 'application/problem+json']
}

test('every schema compiles, has a description, and allows no unnamed field', async (t) => {
  const { document, compile } = await openIndex(t)
  const isoTime = '2026-03-01T10:20:30.000Z'
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    t.notThrows(() => compile({ $ref: `#/components/schemas/${name}` }), name)
    t.is(typeof schema.description, 'string', name)
    // RFC 9457 lets problems have more members; every other record is closed.
    if (name !== 'Problem') t.is(schema.additionalProperties, false, name)
  }
  const isMeta = compile({ $ref: '#/components/schemas/Meta' })
  t.true(isMeta({ generated_at: isoTime, valid_until: isoTime }))
  t.false(isMeta({ generated_at: isoTime, valid_until: isoTime, more: 1 }))
  t.false(isMeta({ generated_at: 'today', valid_until: isoTime }))
  t.false(isMeta({ generated_at: isoTime }))
})

test('a report has exactly the fields of the design', async (t) => {
  const { document } = await openIndex(t)
  const fields = Object.keys(document.components.schemas.Report!.properties as object)
  t.deepEqual(fields.sort(), [
    'checked_at',
    'created_at',
    'description',
    'details',
    'favicon_url',
    'final_url',
    'first_seen_at',
    'host',
    'id',
    'language',
    'next_check_at',
    'preview',
    'source',
    'status',
    'status_reason',
    'system',
    'title',
    'updated_at',
    'url',
  ])
  t.deepEqual(Object.keys(reportSchema.shape).sort(), fields.sort())
})

test('the seven operations of the interface are in the document, with their paths and methods', async (t) => {
  const { document } = await openIndex(t)
  const operations = operationsOf(document.paths).map(({ method, path }) => `${method} ${path}`)
  for (const item of [
    'get /reports',
    'post /reports',
    'get /reports/{id}',
    'patch /reports/{id}',
    'post /reports/{id}',
    'delete /reports/{id}',
  ])
    t.true(operations.includes(item), item)
  const create = document.paths['/reports']!.post!
  t.like(
    create.parameters!.find(({ name }) => name === 'url'),
    { in: 'query', required: true },
  )
  const upload = document.paths['/reports/{id}']!.post!.requestBody!.content['multipart/form-data']!
  t.like(upload.schema, {
    required: ['preview'],
    properties: { preview: { contentMediaType: 'image/jpeg', maxLength: 204_799 } },
  })
})
