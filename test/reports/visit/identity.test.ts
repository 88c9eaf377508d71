import test from 'ava'
import { publicOnly, toSiteAddress } from '../../../src/reports/visit/index.ts'

function keyOf(address: string) {
  return toSiteAddress(address, publicOnly).key
}

test('spellings of one address are one website', (t) => {
  for (const address of [
    'https://example.org',
    'http://www.example.org/',
    'example.org',
    'HTTPS://EXAMPLE.ORG/#/',
    'https://example.org/?utm_source=x&utm_medium=mail&gclid=1&fbclid=2',
    'https://example.org/index.php',
    'https://example.org/index.html?utm_campaign=x',
    'https://example.org/default.aspx',
    'https://example.org/%20',
    'https://example.org/;x',
    'https://example.org/;jsessionid=1F/',
    'https://example.org//',
    'https://example.org/a/../?',
    'https://example.org./',
  ])
    t.is(keyOf(address), 'example.org', address)
  for (const address of [
    'https://example.org/a%C3%A4/',
    'https://example.org//aä',
    'https://example.org/%61ä;v=1',
  ])
    t.is(keyOf(address), 'example.org/a%C3%A4', address)
  t.is(keyOf('https://example.org/?b=2&a=1'), keyOf('https://example.org/?a=1&b=2&mc_cid=3'))
})

test('addresses that a server can distinguish stay distinct', (t) => {
  const addresses = [
    'https://example.org/',
    'https://example.org/?p=1',
    'https://example.org/?p=2',
    'https://example.org/A',
    'https://example.org/a',
    'https://example.org/index.php/a',
    'https://example.org/index',
    'https://blog.example.org/',
    'https://example.org/%ff',
  ]
  t.is(new Set(addresses.map(keyOf)).size, addresses.length)
})

test('names that public DNS lacks are refused without a query', (t) => {
  for (const host of [
    'site.onion',
    'router.home.arpa',
    '1.2.0.192.in-addr.arpa',
    'printer.local',
    'db.internal',
    'a.test',
    'a.invalid',
    'a.example',
    'a.localhost',
  ])
    t.throws(
      () => toSiteAddress(`http://${host}/`, publicOnly),
      { code: 'ERR_URL_NOT_ALLOWED' } as object,
      host,
    )
})
