import test from 'ava'
import { open } from './support.ts'

const everyRef = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.flatMap(everyRef)
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) =>
          name === '$ref' ? [String(inner)] : everyRef(inner),
        )
      : []

test('the document is whole: references resolve, names are unique, parameters of paths are described', async (t) => {
  const { documented } = await open(t)
  const { document, validatorOf } = documented
  t.is(document.openapi, '3.1.0')
  const schemas = document.components.schemas
  for (const ref of everyRef(document)) {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(ref)?.[1] ?? ''
    t.true(name in schemas, ref)
  }
  for (const name of Object.keys(schemas))
    t.notThrows(() => validatorOf(`#/components/schemas/${name}`), name)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  )
  const ids = operations.map(({ operationId }) => operationId)
  t.is(new Set(ids).size, ids.length)
  for (const { path, operationId, parameters = [] } of operations) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    t.deepEqual(
      parameters.filter((one) => one.in === 'path').map(({ name }) => name),
      wanted as string[],
      operationId,
    )
  }
  // Each operation of the specification is there.
  t.deepEqual(ids.sort(), [
    'addWebsite',
    'deleteWebsite',
    'importWebsites',
    'listWebsites',
    'readImport',
    'readWebsite',
    'refreshWebsite',
    'uploadPreview',
  ])
})

test('the page of it needs no key, no script and nothing from elsewhere, and names everything', async (t) => {
  const { index, documented } = await open(t, {
    'membership.reports.contact': 'https://operator.example/?a="<b>',
  })
  const answer = await fetch(`${index.site}/reports/docs`)
  t.is(answer.status, 200)
  const html = await answer.text()
  t.regex(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  t.notRegex(html, /<script|<img|<iframe|@import|url\(|\bsrc=/)
  for (const [, href] of html.matchAll(/href="([^"]*)"/g)) t.regex(href ?? '', /^#|\/reports\/openapi\.json$/)
  for (const methods of Object.values(documented.document.paths))
    for (const { operationId } of Object.values(methods))
      t.true(html.includes(`id="${operationId}"`), operationId)
  for (const name of Object.keys(documented.document.components.schemas))
    t.true(html.includes(`id="${name}"`), name)
  t.false(html.includes('<b>'))
  t.is((await fetch(`${index.site}/reports/openapi.json`)).status, 200)
})
