import test from 'ava'
import { applyEdits } from '../../src/migrate/edits.ts'
import { rewriteTemplate } from '../../src/migrate/templates/index.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
function rewrite(text: string, file: string) {
  return rewriteTemplate({ file, text, encoding: 'utf8' }, facts)
}
function after(text: string, file: string) {
  return applyEdits(text, rewrite(text, file).edits)
}
function advice(text: string, file: string) {
  return rewrite(text, file).findings.map(({ code, replacement }) => [code, replacement])
}

function inLoop(line: string) {
  return `for (const s of user.subscriptions()) { ${line} }`
}

test('the path to the price id becomes price_id in any notation', (t) => {
  const all: [string, string][] = [
    ['f(s.items.data[0].price.id)', 'f(s.price_id)'],
    ["f(s['items']['data'][0]['price']['id'])", 'f(s.price_id)'],
    ['f(s?.items?.data?.[0]?.price?.id)', 'f(s?.price_id)'],
    ['f(s.items.data.at(0).price.id)', 'f(s.price_id)'],
    ['f(s.items.data.at(0)?.price.id ?? "none")', 'f(s.price_id ?? "none")'],
    ['f(s\n  .items\n  .data[0]\n  .price.id)', 'f(s.price_id)'],
    ['f((s).items.data[0].price.id)', 'f((s).price_id)'],
    ['f((s.items).data[0].price.id)', 'f(s.price_id)'],
    ['f(((s.items).data)[0].price.id)', 'f(s.price_id)'],
    ['f(s.items.data[0].price.id.startsWith("price_"))', 'f(s.price_id.startsWith("price_"))'],
    [`f(\`id: \${s.items.data[0].price.id}\`)`, `f(\`id: \${s.price_id}\`)`],
    ['f({ id: s.items.data[0].price.id })', 'f({ id: s.price_id })'],
    ['f(s.plan.id)', 'f(s.price_id)'],
    ['f(s.items.data[2].price.id)', 'f(s.items[2].price_id)'],
  ]
  for (const [v1, v2] of all) t.is(after(inLoop(v1), 'a.js'), inLoop(v2), v1)
})

test('TypeScript: casts and assertions on the path are dropped, those on the subscription stay', (t) => {
  const all: [string, string][] = [
    ['f((s as any).items.data[0].price.id)', 'f((s as any).price_id)'],
    ['f(s!.items!.data[0]!.price.id)', 'f(s!.price_id)'],
    ['f((s.items as Items).data[0].price.id)', 'f(s.price_id)'],
    ['f(((s.items as Items<string>).data as any)[0].price.id as string)', 'f(s.price_id as string)'],
    ['const id: string = (<any>s).items.data[0].price.id', 'const id: string = (<any>s).price_id'],
  ]
  for (const [v1, v2] of all) t.is(after(inLoop(v1), 'a.ts'), inLoop(v2), v1)
})

test('fields of the same name stay, renamed ones are renamed', (t) => {
  t.is(
    after(inLoop('f(s.status, s["id"], s.metadata.seats)'), 'a.js'),
    inLoop('f(s.status, s["id"], s.metadata.seats)'),
  )
  t.is(after(inLoop('f(s.customer, s?.customer)'), 'a.js'), inLoop('f(s.customer_id, s?.customer_id)'))
  t.is(after(inLoop('f(s.items.data[0].price.unit_amount / 100)'), 'a.js'), inLoop('f(s.unit_amount / 100)'))
  t.deepEqual(
    advice(inLoop('console.log(s.status, s.items[0].price_id, s.hasPrice("p"), s.on_trial)'), 'a.js'),
    [],
  )
})

test('comments and texts that only mention the path stay', (t) => {
  const text = inLoop('f("s.items.data[0].price.id") // s.items.data[0].price.id\n /* s.customer */')
  t.is(after(text, 'a.js'), text)
  t.deepEqual(advice(text, 'a.js'), [])
})

test('times are listed unless they are parsed as a date text, or only tested', (t) => {
  const all: [string, string][] = [
    ['f(new Date(s.current_period_end * 1000))', 'Date.parse(s.current_period_end) / 1000'],
    ['f(s.trial_end)', 'Date.parse(s.trial_ends_at) / 1000'],
    ['f(s.cancel_at ?? 0)', 'Date.parse(s.cancel_at) / 1000'],
  ]
  for (const [line, replacement] of all) {
    t.is(after(inLoop(line), 'a.js'), inLoop(line))
    t.deepEqual(advice(inLoop(line), 'a.js'), [['time-is-text-now', replacement]], line)
  }
  t.deepEqual(advice(inLoop('f(new Date(s.current_period_end), Date.parse(s.cancel_at))'), 'a.js'), [])
  t.is(
    after(inLoop('if (s.trial_end && !s.cancel_at) f()'), 'a.js'),
    inLoop('if (s.trial_ends_at && !s.cancel_at) f()'),
  )
})

test('fields that the DTO lacks or changed are listed', (t) => {
  const all: [string, string, string | null][] = [
    ['f(s.latest_invoice)', 'no-dto-property', null],
    ['f(s.customer.email)', 'no-dto-property', null],
    ['f(s.items.data)', 'line-items', 's.items'],
    ['f(s[key])', 'dynamic-key', null],
    ['s.customer = 1', 'assigned', null],
    ['delete s.plan', 'assigned', null],
    ['f(s.currency)', 'currency-is-upper-case', 's.currency.toLowerCase()'],
    ['f(s.items.data /* first */ [0].price.id)', 'unclear-source', 's.price_id'],
    ["f(_.get(s, 'items.data[0].price.id'))", 'helper-access', 's.price_id'],
    ['const { items: { data: [{ price: { id } }] } } = s', 'destructured', '{ price_id: id }'],
    ['const { customer: c, status } = s', 'destructured', '{ customer_id: c, status }'],
    ['const { customer, ...rest } = s', 'destructured', null],
    ["f(s.status === 'incomplete_expired')", 'status-word', "'expired'"],
  ]
  for (const [line, code, replacement] of all) {
    t.is(after(inLoop(line), 'a.js'), inLoop(line), line)
    t.deepEqual(advice(inLoop(line), 'a.js'), [[code, replacement]], line)
  }
  t.deepEqual(advice(inLoop('const { id, status } = s; f(s.currency.toUpperCase())'), 'a.js'), [])
})

test('these are recognised as subscriptions', (t) => {
  const all = [
    'for (const x of membership().user()?.subscriptions() ?? []) f(x.customer)',
    'for (const x of ctx.state.user.subscriptions()) f(x.customer)',
    'user.subscriptions().forEach((x) => f(x.customer))',
    'user.subscriptions().filter((y) => y.active).map(function (x) { return x.customer })',
    'user.subscriptions().reduce((all, x) => all + x.customer, "")',
    '[...user.subscriptions()].sort((x, y) => f(x.customer))',
    'const x = user.subscriptions()[0]; f(x.customer)',
    'const x = user.subscriptions().at(-1)!; f(x.customer)',
    'const [x] = await user.subscriptions(); f(x.customer)',
    'const all = user.subscriptions() as Sub[]; const x = all.find((y) => y.active); f(x.customer)',
    'const x = membership().provider().subscriptionForPrice("p"); f(x.customer)',
    'let x = null; for (const y of user.subscriptions()) x = y; f(x.customer)',
    'const list: Sub[] = []; for (const y of user.subscriptions()) list.push(y); list.map((x) => x.customer)',
  ]
  for (const line of all) t.is(after(line, 'a.ts'), line.replace('x.customer', 'x.customer_id'), line)
})

test('a variable of an inner scope is another one', (t) => {
  const text =
    'for (const s of user.subscriptions()) { rows.map((s) => s.customer); { const s = row(); f(s.customer) } }\nf(s.customer)'
  t.is(after(text, 'a.js'), text)
  t.deepEqual(advice(text, 'a.js'), [])
})

test('these are not subscriptions, and stay unchanged', (t) => {
  const all = [
    'const list = await stripe.subscriptions.list(); for (const x of list.data) f(x.items.data[0].price.id)',
    'const x = await stripe.subscriptions.retrieve("s"); f(x.items.data[0].price.id)',
    'const x = event.data.object; f(x.items.data[0].price.id)',
    'const x = JSON.parse(subscription); f(x.items.data[0].price.id)',
    'const { data } = await fetch(subscriptions); f(y.customer)',
    'class A { subscriptions() { return 1 } }; new A().subscriptions()',
  ]
  for (const line of all) {
    t.is(after(line, 'a.ts'), line, line)
    t.deepEqual(advice(line, 'a.ts'), [], line)
  }
})

test('undecidable cases are listed', (t) => {
  const all: [string, string, string][] = [
    ['newsletter.subscriptions().map((x) => x.customer)', 'unknown-receiver', 'x.customer_id'],
    ['export const f = (subscription) => subscription.customer', 'unknown-value', 'subscription.customer_id'],
    [
      "import Stripe from 'stripe'\nexport const f = (x: Stripe.Subscription) => x.items.data[0].price.id",
      'unknown-value',
      'x.price_id',
    ],
    ['const x = await getIt(); f(x.items.data[0].price.id)', 'unknown-value', 'x.price_id'],
  ]
  for (const [line, code, replacement] of all) {
    t.is(after(line, 'a.ts'), line, line)
    t.deepEqual(advice(line, 'a.ts'), [[code, replacement]], line)
  }
})

test('the documented path is listed on a parameter, because its callers cannot be seen', (t) => {
  const called = 'export const priceOf = (sub) => sub.items.data[0].price.id'
  t.is(after(called, 'a.mjs'), called)
})

test('JSX is treated like other code', (t) => {
  t.is(
    after(
      'const L = ({ user }) => user.subscriptions().map((s) => <li id={s.customer}>{s.items.data[0].price.id} s.customer</li>)',
      'L.jsx',
    ),
    'const L = ({ user }) => user.subscriptions().map((s) => <li id={s.customer_id}>{s.price_id} s.customer</li>)',
  )
})

test('Eta: the code in the tags is changed, the text around it is not', (t) => {
  const text = `<% layout('./x') %>
<% const subs = it.user.subscriptions() %>
<% for (const s of subs) { /* '%>' s.customer */ %>
  <li title="s.customer"><%= s.customer %> <%~ s.items.data[0].price.id -%></li>
  <%_ if (s.trial_end) { _%> <%= \`%>\${s.customer}\` %> <% } // s.customer %>
<% } %>
<% switch (subs[0]?.customer) { %> <% case 'x': %> y <% } %>
s.items.data[0].price.id
`
  t.is(
    after(text, 'account.eta'),
    text
      .replace('<%= s.customer %>', '<%= s.customer_id %>')
      .replace('<%~ s.items.data[0].price.id -%>', '<%~ s.price_id -%>')
      .replace('s.trial_end', 's.trial_ends_at')
      .replace('{s.customer}`', '{s.customer_id}`')
      .replace('subs[0]?.customer', 'subs[0]?.customer_id'),
  )
})

test('EJS: outputs, comments and literal tags are distinguished', (t) => {
  const text = `<%# s.customer %>
<% user.subscriptions().forEach(function (s) { -%>
  <%= s.customer; %> <%- s.items.data[0].price.id -%> <%% s.customer %>
<%_ }) _%>
`
  t.is(
    after(text, 'views/account.ejs'),
    text
      .replace('<%= s.customer;', '<%= s.customer_id;')
      .replace('<%- s.items.data[0].price.id', '<%- s.price_id'),
  )
})

test('purchases becomes payments on the provider’s data', (t) => {
  const all: [string, string][] = [
    ["user.content('stripe').purchases.length", "user.content('stripe').payments.length"],
    [
      'membership().provider().getUserData()["purchases"]',
      'membership().provider().getUserData()["payments"]',
    ],
    ['membership().provider().purchases()', 'membership().provider().payments()'],
    ['const d = provider.getUserData(); f(d?.purchases)', 'const d = provider.getUserData(); f(d?.payments)'],
    ["_.get(user, 'stripe.purchases')", "_.get(user, 'stripe.payments')"],
  ]
  for (const [v1, v2] of all) t.is(after(v1, 'a.js'), v2, v1)
  t.deepEqual(advice('f(row.purchases)', 'a.js'), [['purchases-unclear', 'row.payments']])
  t.deepEqual(advice('const { purchases } = row', 'a.js'), [['destructured', '{ payments: purchases }']])
  t.deepEqual(advice("order.purchases(); t('stripe.purchases'); const purchases = 1", 'a.js'), [])
})

test('PHP: purchases becomes payments on the provider’s data', (t) => {
  const all: [string, string][] = [
    [
      "membership()->provider()->getUserData()['purchases']",
      "membership()->provider()->getUserData()['payments']",
    ],
    ['membership()->provider()->purchases()', 'membership()->provider()->payments()'],
    ["$user->stripe()->yaml()['purchases']", "$user->stripe()->yaml()['payments']"],
    [
      '$kirby->user()->content()->get("stripe")->toData("yaml")["purchases"]',
      '$kirby->user()->content()->get("stripe")->toData("yaml")["payments"]',
    ],
    [
      "Yaml::decode($user->stripe()->value())['purchases'] ?? []",
      "Yaml::decode($user->stripe()->value())['payments'] ?? []",
    ],
    ["$user->content()->get('stripe.purchases')", "$user->content()->get('stripe.payments')"],
    [
      "A::get($user->stripe()->toArray(), 'purchases', [])",
      "A::get($user->stripe()->toArray(), 'payments', [])",
    ],
    [
      '($d = $user->stripe()->yaml()) && "{$d[\'purchases\'][0]} $d[purchases]"',
      '($d = $user->stripe()->yaml()) && "{$d[\'payments\'][0]} $d[payments]"',
    ],
  ]
  for (const [v1, v2] of all) t.is(after(`<?php f(${v1});`, 'a.php'), `<?php f(${v2});`, v1)
  t.deepEqual(advice("<?php f($row['purchases']);", 'a.php'), [['purchases-unclear', "$row['payments']"]])
  t.deepEqual(advice("<?php provider()->setUserData(['purchases' => []]);", 'a.php'), [
    ['purchases-unclear', "'payments'"],
  ])
  t.deepEqual(
    advice("<?php $order->purchases(); t('stripe.purchases'); $this->purchases; $purchases;", 'a.php'),
    [],
  )
})

test('the field of the provider’s data follows the facts', (t) => {
  const text = "<?php f($user->billing()->yaml()['purchases'], $user->stripe()->yaml()['purchases']);"
  const { edits } = rewriteTemplate({ file: 'a.php', text, encoding: 'utf8' }, { ...facts, field: 'billing' })
  t.is(applyEdits(text, edits), text.replace("yaml()['purchases'], ", "yaml()['payments'], "))
})
