import test from 'ava'
import { managedAt } from '../../src/core/dto/stores.ts'
import { linkable } from '../../src/core/url.ts'

test('an address from outside becomes a link only with https, or to a store’s app', (t) => {
  for (const address of [
    'https://apps.apple.com/account/subscriptions',
    'itms-apps://apps.apple.com/account/subscriptions',
    'market://details?id=com.example',
    'http://127.0.0.1:8080/invoice',
  ])
    t.is(linkable(address), address)
  for (const address of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'http://example.com/',
    '//example.com/',
    '/membership/sandbox/invoice/1',
    '/\\\\example.com',
    'vbscript:x',
    '',
    null,
    undefined,
  ])
    t.is(linkable(address), null, String(address))
  t.is(managedAt('app_store', 'javascript:alert(1)').url, managedAt('app_store').url)
  t.is(managedAt(null, 'javascript:alert(1)').url, null)
})
