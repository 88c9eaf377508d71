import test from 'ava'
import { placeOf } from '../../src/migrate/source.ts'
import { rewriteTemplate } from '../../src/migrate/templates/index.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
function rewrite(text: string, file: string) {
  return rewriteTemplate({ file, text, encoding: 'utf8' }, facts)
}
function advice(text: string, file: string) {
  return rewrite(text, file).findings.map(({ code, at, replacement }) => [
    code,
    placeOf(text, at),
    replacement,
  ])
}

function other(line: number, column: number, replacement: string) {
  return ['other-template-language', { line, column }, replacement]
}

test('Twig: paths are listed with place and replacement, comments and prose are not', (t) => {
  const text = `{# subscription.items.data[0].price.id #}
{% for s in kirby.user.subscriptions() %}
  {{ s.items.data[0].price.id }} {{ s.items.data.0.price.id|e }}
  {{ s['items']['data'][0]['price']['id'] }} {{ s.status }} {{ s.customer }}
  {{ s.current_period_end|date('d.m.') }} {{ s.current_period_end }} {{ page.trial_end }}
{% endfor %}
{{ kirby.user.stripe.purchases|length }} purchases of items and data
`
  t.deepEqual(advice(text, 'site/templates/account.twig'), [
    other(3, 6, 's.price_id'),
    other(3, 37, 's.price_id'),
    other(4, 6, 's.price_id'),
    other(4, 64, 's.customer_id'),
    // What a filter for dates reads is right in both versions.
    other(5, 46, 's.current_period_end'),
    other(7, 4, 'kirby.user.stripe.payments'),
  ])
  t.deepEqual(rewrite(text, 'account.twig').edits, [])
})

test('Blade: array access is listed in PHP’s syntax, and properties count as version 2', (t) => {
  const text = `{{-- $s['status'] --}}
@foreach ($user->subscriptions() as $s)
  {{ $s['status'] }} {{ $s['items']['data'][0]['price']['id'] }} {{ $s->price_id }} {{ $s['currency'] }}
@endforeach
{{ $user->stripe()->yaml()['purchases'] }}`
  t.deepEqual(advice(text, 'site/templates/account.blade.php'), [
    other(3, 6, '$s->status'),
    other(3, 25, '$s->price_id'),
    other(3, 88, '$s->currency'),
    other(5, 4, "$user->stripe()->yaml()['payments']"),
  ])
})

test('every other template language is listed in its own syntax', (t) => {
  const all: [string, string, string][] = [
    ['latte', "{$subscription['items']['data'][0]['price']['id']}", '$subscription->price_id'],
    ['liquid', '{{ subscription.items.data.first.price.id }}', 'subscription.price_id'],
    ['liquid', '{{ subscription.items.data[0].price.id }}', 'subscription.price_id'],
    ['hbs', '{{subscription.items.data.[0].price.id}}', 'subscription.price_id'],
    ['handlebars', '{{subscription.items.data.0.price.id}}', 'subscription.price_id'],
    ['mustache', '{{subscription.items.data.0.price.id}}', 'subscription.price_id'],
    ['njk', '{{ subscription.items.data[0].price.id }}', 'subscription.price_id'],
    ['vue', '<p :id="subscription?.items?.data?.[0]?.price?.id">', 'subscription?.price_id'],
    ['svelte', '{subscription.items.data.at(0).price.id}', 'subscription.price_id'],
    ['astro', '{subscription.items.data[0].price.id}', 'subscription.price_id'],
    ['pug', 'p= subscription.items.data[0].price.id', 'subscription.price_id'],
    ['html', '<script>f(subscription.items.data[0].price.id)</script>', 'subscription.price_id'],
  ]
  for (const [extension, text, replacement] of all) {
    const { edits, findings } = rewrite(text, `views/account.${extension}`)
    t.deepEqual(edits, [])
    t.deepEqual(
      findings.map((finding) => [finding.code, finding.at, finding.replacement]),
      [['other-template-language', text.indexOf(text.includes('$sub') ? '$sub' : 'sub'), replacement]],
      extension,
    )
  }
})

test('comments of every language are left out', (t) => {
  const path = 'subscription.items.data[0].price.id'
  const all: [string, string][] = [
    ['blade.php', `{{-- ${path} --}}`],
    ['latte', `{* ${path} *}`],
    ['njk', `{# ${path}\n #}`],
    ['liquid', `{% comment %} ${path} {%- endcomment -%}`],
    ['hbs', `{{!-- ${path} --}}`],
    ['mustache', `{{! ${path} }}`],
    ['vue', `<!-- ${path} -->`],
    ['pug', `//- ${path}\np text`],
  ]
  for (const [extension, text] of all) {
    t.deepEqual(advice(text, `a.${extension}`), [], extension)
    t.is(advice(`${text}\n${path}`, `a.${extension}`).length, 1, extension)
  }
})

test('unparsable code is listed and never edited', (t) => {
  const php = "<?php foreach ($user->subscriptions() as $s {\n echo $s['items']['data'][0]['price']['id'];\n}"
  t.deepEqual(advice(php, 'a.php'), [['not-parsed', { line: 2, column: 7 }, '$s->price_id']])
  t.deepEqual(rewrite(php, 'a.php').edits, [])
  const js = 'for (const s of user.subscriptions() {\n f(s.items.data[0].price.id)\n}'
  t.deepEqual(advice(js, 'a.ts'), [['not-parsed', { line: 2, column: 4 }, 's.price_id']])
  const eta = '<% for (const s of it.user.subscriptions()) { %>\n<%= s.items.data[0].price.id %>'
  t.deepEqual(advice(eta, 'a.eta'), [['not-parsed', { line: 2, column: 5 }, 's.price_id']])
  const ejs = '<% user.subscriptions().map((s) => { %>\n<%= s.items.data[0].price.id '
  t.deepEqual(advice(ejs, 'a.ejs'), [['not-parsed', { line: 2, column: 5 }, 's.price_id']])
})

test('code nested deeper than anybody writes is listed, not a failure', (t) => {
  const deep = `f(user.subscriptions()[0].items.data[0].price.id, ${'['.repeat(20_000)}${']'.repeat(20_000)})`
  t.deepEqual(
    rewrite(deep, 'a.js').findings.map(({ code }) => code),
    ['not-parsed'],
  )
  const long = `<?php $s = $user->subscriptions()[0]; echo ${"'a' . ".repeat(20_000)} $s['items']['data'][0]['price']['id'];`
  const { edits, findings } = rewrite(long, 'a.php')
  t.is(edits.length + findings.length, 1)
})

test('time grows linearly with the text', (t) => {
  const seconds = (text: string, file: string) => {
    const start = process.cpuUsage()
    rewrite(text, file)
    return process.cpuUsage(start).user / 1_000_000
  }
  const twig = '{% for s in user.subscriptions %}{{ s.items.data[0].price.id }}{{ ((((((((((((((( }}['.repeat(
    5000,
  )
  t.true(seconds(twig, 'a.twig') < 5)
  t.true(seconds(`subscriptions${' '.repeat(300_000)}as`, 'a.html') < 5)
  t.true(seconds(`subscription ${'.items .data '.repeat(30_000)}`, 'a.html') < 5)
  t.true(seconds(`subscription ${'<!--'.repeat(50_000)}`, 'a.html') < 5)
  t.true(seconds(`subscription ${'<%'.repeat(50_000)}`, 'a.eta') < 5)
})
