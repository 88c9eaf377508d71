import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { anchorsOf } from '../../scripts/prose/links.ts'

const docs = join(import.meta.dirname, '../../docs')
function read(page: string) {
  return readFileSync(join(docs, `${page}.md`), 'utf8')
}

/** Where pages and headings went, by the address that they had: `hosts#express` to `express`. */
const redirects: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(docs, '.vitepress/redirects.json'), 'utf8'),
)

/** Addresses of pages and headings that errors, messages, the CHANGELOG, MIGRATION and the README of 2.0.0-rc.1 named. */
const named: readonly string[] = JSON.parse(
  readFileSync(join(docs, '../test/docs/named-addresses.json'), 'utf8'),
)

function isThere(address: string): boolean {
  const [page = '', anchor] = address.split('#')
  if (!existsSync(join(docs, `${page}.md`))) return false
  return anchor === undefined || anchorsOf(read(page)).has(anchor)
}

test('every address of a page or heading that was named before leads on', (t) => {
  t.true(named.length > 60)
  for (const address of named) {
    const target = isThere(address) ? address : redirects[address]
    t.truthy(target, `${address} leads nowhere: name where it went in docs/.vitepress/redirects.json`)
    t.true(isThere(target ?? ''), `${address} leads to ${target}, which is not there`)
  }
})

test('a redirect is of an address that is gone, and leads to one that is there', (t) => {
  for (const [from, to] of Object.entries(redirects)) {
    t.false(isThere(from), `${from} is there`)
    t.true(isThere(to), `${from} leads to ${to}`)
  }
})
