import { request } from 'node:http'
import test from 'ava'
import { parseDocument } from 'htmlparser2'
import { openIndex } from './support.ts'

interface Node {
  readonly name?: string
  readonly data?: string
  readonly attribs?: Record<string, string>
  readonly children?: readonly Node[]
}
function elementsOf(node: Node): Node[] {
  return [...(node.attribs ? [node] : []), ...(node.children ?? []).flatMap(elementsOf)]
}
function textOf(node: Node): string {
  return node.name === 'style' ? '' : (node.data ?? '') + (node.children ?? []).map(textOf).join('')
}

async function pageOf(site: string) {
  const answer = await fetch(`${site}/reports/docs`)
  const html = await answer.text()
  const tree = parseDocument(html) as unknown as Node
  return { answer, html, elements: elementsOf(tree), text: textOf(tree) }
}

test('the page and the document need no key', async (t) => {
  const { site } = await openIndex(t)
  for (const [path, type] of [
    ['/reports/docs', 'text/html'],
    ['/reports/openapi.json', 'application/json'],
  ]) {
    const answer = await fetch(site + path)
    t.is(answer.status, 200)
    t.is(answer.headers.get('content-type')!.split(';')[0], type)
  }
})

test('the page works offline: no script, and no external resource', async (t) => {
  const { site } = await openIndex(t)
  const { elements, html, answer } = await pageOf(site)
  const policy =
    answer.headers.get('content-security-policy') ??
    elements.find((element) => element.attribs!['http-equiv'] === 'Content-Security-Policy')!.attribs!
      .content!
  t.regex(policy, /default-src 'none'/)
  t.notRegex(policy, /script-src|https?:/)
  for (const { name, attribs = {} } of elements) {
    t.false(['script', 'iframe', 'object', 'embed', 'link', 'img', 'base', 'form'].includes(name!), name)
    t.false('src' in attribs)
    for (const attribute of Object.keys(attribs)) t.notRegex(attribute, /^on/)
    const { href } = attribs
    if (href !== undefined) t.true(href.startsWith('#') || href.startsWith(`${site}/`), href)
  }
  t.notRegex(html, /@import|url\(/)
})

test('the page names every operation with its parameters and answers, and every record with its fields', async (t) => {
  const { site, document } = await openIndex(t)
  const { elements, text } = await pageOf(site)
  const ids = new Set(elements.map(({ attribs }) => attribs!.id))
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      t.true(ids.has(operation.operationId), operation.operationId)
      t.true(text.includes(`${method.toUpperCase()} ${path}`), `${method} ${path}`)
      const section = elements.find(({ attribs }) => attribs!.id === operation.operationId)!
      for (const { name } of operation.parameters ?? []) t.true(textOf(section).includes(name), name)
      for (const [status, { description }] of Object.entries(operation.responses)) {
        t.true(textOf(section).includes(status))
        t.true(textOf(section).includes(description), description)
      }
    }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    t.true(ids.has(name), name)
    const section = elements.find(({ attribs }) => attribs!.id === name)!
    for (const field of Object.keys((schema.properties ?? {}) as object))
      t.true(textOf(section).includes(field), `${name}.${field}`)
  }
  for (const { attribs } of elements)
    if (attribs!.href?.startsWith('#')) t.true(ids.has(attribs!.href.slice(1)), attribs!.href)
})

test('every id on the page is unique', async (t) => {
  const { site } = await openIndex(t)
  const { elements } = await pageOf(site)
  const ids = elements.flatMap(({ attribs }) => attribs!.id ?? [])
  t.is(new Set(ids).size, ids.length)
})

test('outside text is escaped: the contact, and the request’s host', async (t) => {
  const { site } = await openIndex(
    t,
    {},
    { 'membership.reports.contact': 'https://x.example/"><script>alert(1)</script>' },
  )
  const { port } = new URL(site)
  const html = await new Promise<string>((done, failed) => {
    const asked = request(
      { port, path: '/reports/docs', headers: { host: '"><script>alert(2)</script>' } },
      (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => done(text))
      },
    )
    asked.on('error', failed).end()
  })
  t.false(html.includes('<script'))
  t.true(html.includes('&lt;script&gt;alert(1)'))
  t.is(elementsOf(parseDocument(html) as unknown as Node).filter(({ name }) => name === 'script').length, 0)
})
