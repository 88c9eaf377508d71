import test, { type ExecutionContext } from 'ava'
import { applyEdits } from '../../src/migrate/edits.ts'
import { rewriteTemplate } from '../../src/migrate/templates/index.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
function rewrite(text: string, file = 'site/templates/account.php') {
  return rewriteTemplate({ file, text, encoding: 'utf8' }, facts)
}
function after(text: string, file?: string) {
  return applyEdits(text, rewrite(text, file).edits)
}
function advice(text: string, file?: string) {
  return rewrite(text, file).findings.map(({ code, replacement }) => [code, replacement])
}

const price = "['items']['data'][0]['price']['id']"

const call = 'membership()->provider()->subscriptionForPrice'
/** The loop stays and reads the property; the finding offers the call. */
function stays(t: ExecutionContext, v1: string, offered: string) {
  t.is(after(v1), v1.replace(price, '->price_id'), v1)
  t.deepEqual(advice(v1), [['search-stays', offered]], v1)
}

test('a loop that searches for the price stays, because it finds ended memberships too, and the call is offered', (t) => {
  const all = [
    `$found = null; foreach ($kirby->user()->subscriptions() as $s) { if ($s${price} === $priceId) { $found = $s; break; } } echo 1;`,
    `$found = null;\n\nforeach (kirby()->user()->subscriptions() as $s) {\n\tif ($priceId == $s${price}) {\n\t\t$found = $s;\n\t\tbreak;\n\t}\n} echo 1;`,
    `$found = null; foreach (membership()->user()?->subscriptions() ?? [] as $s): if ($s${price} === $priceId): $found = $s; break; endif; endforeach; echo 1;`,
    `$user = $kirby->user(); $subs = $user->subscriptions(); $found = null; foreach ($subs as $s) { if ($s${price} === $priceId) { $found = $s; break; } } echo 1;`,
    `$found = null; foreach ($kirby->user()->subscriptions() as $s) { if ($s${price} === $priceId) { $found = $s; } }`,
    `$found = null; foreach ($kirby->user()->subscriptions() as $s) { // the yearly one\n if ($s${price} === $priceId) { $found = $s; break; } }`,
  ]
  for (const v1 of all) stays(t, `<?php ${v1}`, `${call}($priceId);`)
  t.regex(rewrite(`<?php ${all[0]}`).findings[0]!.reason, /ended and unpaid ones included/)
})

test('between tags, only the statements are offered', (t) => {
  stays(
    t,
    `<?php $found = null ?>\n<?php foreach ($kirby->user()->subscriptions() as $s): ?>\n  <?php if ($s${price} === $page->price()->value()): ?>\n    <?php $found = $s; break ?>\n  <?php endif ?>\n<?php endforeach ?>\n<p>`,
    `${call}($page->price()->value())`,
  )
})

test('a loop that tests for a match is offered a comparison with null, with or without a break', (t) => {
  for (const end of ['', ' break;'])
    stays(
      t,
      `<?php $has = false; foreach ($kirby->user()->subscriptions() as $s) { if ($s${price} === 'price_1') { $has = true;${end} } }`,
      `${call}('price_1') !== null;`,
    )
})

test('a function that returns its match is offered one line', (t) => {
  stays(
    t,
    `<?php function sub($id) { foreach (kirby()->user()->subscriptions() as $s) { if ($s${price} === $id) { return $s; } } return null; }`,
    `return ${call}($id);`,
  )
  stays(
    t,
    `<?php function has($id) { foreach (kirby()->user()->subscriptions() as $s) if ($s${price} === $id) return true; return false; }`,
    `return ${call}($id) !== null;`,
  )
})

test('a loop with another purpose keeps its form, and its paths become properties', (t) => {
  const open = '<?php $found = null; foreach ($kirby->user()->subscriptions() as $s) {'
  const all = [
    // More than a price is asked.
    `${open} if ($s${price} === $p && $x) { $found = $s; break; } }`,
    `${open} if ($s${price} !== $p) { $found = $s; break; } }`,
    // Something else happens.
    `${open} if ($s${price} === $p) { $found = $s; echo 'x'; break; } }`,
    `${open} echo 'x'; if ($s${price} === $p) { $found = $s; break; } }`,
    `${open} if ($s${price} === $p) { $found = $s; break; } else { $n++; } }`,
    `${open} ?> <li> <?php if ($s${price} === $p) { $found = $s; break; } }`,
    // What it is compared with may be another thing each time, or do something.
    `${open} if ($s${price} === $s) { $found = $s; break; } }`,
    `${open} if ($s${price} === next($list)) { $found = $s; break; } }`,
    `${open} if ($s${price} === $x[$found]) { $found = $s; break; } }`,
    `${open} if ($s${price} === $p++) { $found = $s; break; } }`,
    // The variable of the loop is read after it.
    `${open} if ($s${price} === $p) { $found = $s; break; } } echo $s;`,
    // Its key is used.
    `<?php $found = null; foreach ($kirby->user()->subscriptions() as $i => $s) { if ($s${price} === $p) { $found = $s; break; } }`,
    // Nothing says what there is when nothing is found.
    `<?php foreach ($kirby->user()->subscriptions() as $s) { if ($s${price} === $p) { $found = $s; break; } }`,
    `<?php $found = false; foreach ($kirby->user()->subscriptions() as $s) { if ($s${price} === $p) { $found = $s; break; } }`,
    // Two loops are left.
    `${open} if ($s${price} === $p) { $found = $s; break 2; } }`,
    // Not all of the subscriptions are looked at.
    `<?php $subs = $kirby->user()->subscriptions(); if ($x) $subs = array_slice($subs, 1); $found = null; foreach ($subs as $s) { if ($s${price} === $p) { $found = $s; break; } }`,
    `<?php $found = null; foreach (array_slice($kirby->user()->subscriptions(), 1) as $s) { if ($s${price} === $p) { $found = $s; break; } }`,
  ]
  for (const v1 of all) {
    t.is(after(v1), v1.replace(price, '->price_id'), v1)
    // A whole subscription that is compared or put out is listed.
    const isWhole = /=== \$s\)|echo \$s;|\[\$found\]/.test(v1)
    t.deepEqual(advice(v1), isWhole ? [['not-followed', null]] : [], v1)
  }
})

test('a loop over another member keeps its form and is listed', (t) => {
  const text = `<?php $found = null; foreach ($user->subscriptions() as $s) { if ($s${price} === $p) { $found = $s; break; } }`
  t.is(after(text), text.replace(price, '->price_id'))
  t.deepEqual(advice(text), [
    ['not-the-current-member', 'membership()->provider()->subscriptionForPrice($p);'],
  ])
  for (const owner of ["kirby()->user('ann@example.com')", '$kirby->users()->first()', '$page->user()'])
    t.is(advice(text.replace('$user', owner))[0]?.[0], 'not-the-current-member', owner)
  const changed = text.replace('<?php', '<?php $user = $kirby->user(); $user = other();')
  t.is(advice(changed)[0]?.[0], 'not-the-current-member')
})

test('the accessor follows the site’s prefix', (t) => {
  const text = `<?php $f = null; foreach (club()->user()->subscriptions() as $s) { if ($s${price} === $p) { $f = $s; break; } }`
  const { findings } = rewriteTemplate(
    { file: 'a.php', text, encoding: 'utf8' },
    { ...facts, prefix: 'club' },
  )
  t.is(findings[0]?.replacement, 'club()->provider()->subscriptionForPrice($p);')
})

const path = 'items.data[0].price.id'

test('JavaScript: loops, find and some stay, and the call is offered', (t) => {
  const found = 'membership().provider().subscriptionForPrice(p)'
  const all: [string, string][] = [
    [
      `let f = null; for (const s of membership().user().subscriptions()) { if (s.${path} === p) { f = s; break; } } g()`,
      `${found};`,
    ],
    [
      `let f = null\nfor (const s of membership().user().subscriptions()) {\n  if (s.${path} === p) {\n    f = s\n    break\n  }\n}\ng()`,
      found,
    ],
    [
      `const f = membership().user().subscriptions().find((s) => s.${path} === p); if (f === undefined) g()`,
      found,
    ],
    [
      `const u = membership().user()\nif (u.subscriptions().some(function (s) { return p === s.${path} })) g()`,
      `${found} !== null`,
    ],
    [`const no = !membership().user().subscriptions().some((s) => s.${path} === p)`, `(${found} !== null)`],
  ]
  for (const [v1, offered] of all) {
    t.is(after(v1, 'src/pages/account.js'), v1.replace(path, 'price_id'), v1)
    t.deepEqual(advice(v1, 'src/pages/account.js'), [['search-stays', offered]], v1)
  }
})

test('JavaScript: a user parameter is not the current user', (t) => {
  const text = `export const has = (user, p) => user.subscriptions().some((s) => s.${path} === p)`
  t.is(after(text, 'a.js'), text.replace(path, 'price_id'))
  t.deepEqual(advice(text, 'a.js'), [
    ['not-the-current-member', 'membership().provider().subscriptionForPrice(p) !== null'],
  ])
})
