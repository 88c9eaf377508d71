import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { migrateSite } from '../../src/migrate/index.ts'
import type { Plan } from '../../src/migrate/plan.ts'
import { isDone, planSite } from '../../src/migrate/site.ts'
import { examine } from '../../src/site/doctor/index.ts'
import { runCommand } from '../support/command.ts'
import { emptyFolder } from '../support/migrate.ts'
import { Database } from '../support/sqlite.ts'

async function siteOf(t: ExecutionContext, files: Record<string, string>): Promise<string> {
  const site = await emptyFolder(t)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(site, file)), { recursive: true })
    writeFileSync(join(site, file), text)
  }
  return site
}
function left({ decisions }: Plan) {
  return decisions.filter(({ level }) => level !== 'know').map(({ code }) => code)
}

const config = 'site/config/config.php'
const template = 'site/templates/account.php'
function php(body: string) {
  return `<?php ${body}`
}
function inLoop(body: string) {
  return php(`foreach ($user->subscriptions() as $s) { ${body} }`)
}

// Each was a site on which nothing was said to be left.
const silent: [string, string, string, string][] = [
  [
    'a key of pieces',
    config,
    php("$p = 'membership'; return [$p . '.stripe.secret' => 'x'];"),
    'key-made-by-code',
  ],
  [
    'a constant as key',
    config,
    php("const P = 'membership'; return [P . '.stripe.secret' => 1];"),
    'key-made-by-code',
  ],
  ['two texts as one key', config, php("return ['membership.' . 'stripe.secret' => 1];"), 'key-in-code'],
  [
    'an assignment',
    config,
    php("$c = []; $c['membership']['stripe']['secret'] = 1; return $c;"),
    'key-in-code',
  ],
  [
    'a key that a function makes',
    config,
    php("return [implode('.', ['membership', 'stripe', 'secret']) => 1];"),
    'key-made-by-code',
  ],
  [
    'a key that a pattern makes',
    config,
    php("return [sprintf('%s.stripe.secret', 'membership') => 1];"),
    'key-made-by-code',
  ],
  ['a prefix of pieces', config, php("return ['member' . 'ship.stripe.secret' => 1];"), 'key-in-code'],
  [
    'a variable that is written to',
    config,
    php("$m = []; $m['stripe'] = ['secret' => 1]; return ['membership' => $m];"),
    'not-seen',
  ],
  [
    'a variable that is added to in a branch',
    config,
    php("$m = ['x' => 1]; if (a()) { $m += ['stripe' => ['secret' => 1]]; } return ['membership' => $m];"),
    'not-seen',
  ],
  [
    'a constant of a script that is written to',
    'config/membership.js',
    "const m = {}\nm.stripe = { secret: 'x' }\nexport default { membership: m }",
    'not-seen',
  ],
  [
    'brackets before a filter',
    'views/a.latte',
    '<li n:foreach="$user->subscriptions() as $s">{$s["current_period_end"]|date}</li>',
    'other-template-language',
  ],
  ['a spread', config, php("return ['membership' => [...keys(), 'x' => 1]];"), 'section-in-code'],
  ['a merge', config, php("return ['membership' => array_merge(keys(), ['x' => 1])];"), 'not-seen'],
  ['keys by a function', config, php("return ['membership' => keys()];"), 'not-seen'],
  [
    'keys that a hook returns',
    config,
    php("return ['ready' => fn () => ['membership' => ['stripe' => ['secret' => 1]]]];"),
    'key-in-code',
  ],
  [
    'a branch',
    config,
    php("if (a()) $c = ['membership' => ['provider' => ['current' => 's']]]; return $c;"),
    'key-in-code',
  ],
  [
    'a constant below',
    config,
    php("return ['membership' => [PROVIDER => ['secret' => 1]]];"),
    'key-made-by-code',
  ],
  ['a look-up with a variable', template, php('echo option("membership.stripe.$k");'), 'key-in-code'],
  ['a look-up of pieces', template, php("echo option('membership.' . $p . '.secret');"), 'key-made-by-code'],
  ['a section that is read', template, php("echo option('membership')['stripe']['secret'];"), 'key-in-code'],
  [
    'a section that is kept',
    template,
    php("$o = option('membership'); echo $o['stripe'];"),
    'section-in-code',
  ],
  [
    'roles in code',
    template,
    php("$c = options(); echo $c['membership']['manageUsers']['role'];"),
    'key-in-code',
  ],
  [
    'options beside an export',
    'src/app.js',
    'export const a = {}\ncreateMembership({ membership: { stripe: { secret: 1 } } })',
    'key-in-code',
  ],
  [
    'options in two calls',
    'src/app.js',
    "createMembership({ a: 1 }); createMembership({ membership: { provider: { current: 's' } } })",
    'key-in-code',
  ],
  ['a template literal', 'src/app.js', `config.get(\`membership.stripe.\${k}\`)`, 'key-in-code'],
  [
    'a flag in PHP',
    'site/plugins/x/index.php',
    php("return ['fields' => ['city' => ['membership' => ['write' => false]]]];"),
    'flag-in-code',
  ],
  [
    'members in PHP',
    'site/blueprints/users/member.php',
    php("return ['membership' => true, 'fields' => []];"),
    'field-in-code',
  ],
  ['extract', template, inLoop('extract($s); echo $status;'), 'used-as-array'],
  ['count', template, inLoop('echo count($s);'), 'used-as-array'],
  [
    'a nested list()',
    template,
    php("[['items' => ['data' => [$first]]]] = $user->subscriptions();"),
    'destructured',
  ],
  ['a write into it', template, inLoop("$s['seen'] = 1;"), 'assigned'],
  ['an index that is kept', template, inLoop("$k = 'status'; echo $s[$k];"), 'dynamic-key'],
  ['a part that is kept', template, inLoop("$i = $s->items[0]; echo $i['price']['id'];"), 'kept-part'],
  [
    'a part that a loop goes through',
    template,
    inLoop("foreach ($s->items as $i) echo $i['plan']['id'];"),
    'kept-part',
  ],
  ['a cast', template, inLoop('echo ((array) $s)["status"];'), 'used-as-array'],
  [
    'Handlebars',
    'views/a.hbs',
    '{{#each subscriptions}}{{items.data.[0].price.id}}{{/each}}',
    'trace-of-version-1',
  ],
  [
    'Mustache',
    'views/a.mustache',
    '{{#subscriptions}}{{#items}}{{#data}}{{price.id}}{{/data}}{{/items}}{{/subscriptions}}',
    'trace-of-version-1',
  ],
  [
    'Liquid',
    'views/a.liquid',
    '{% for s in user.subscriptions %}{% assign i = s.items.data | first %}{% endfor %}',
    'trace-of-version-1',
  ],
  [
    'Latte',
    'views/a.latte',
    "{foreach $user->subscriptions() as $s}{$s['status']}{/foreach}",
    'other-template-language',
  ],
  [
    'Smarty',
    'views/a.tpl',
    '{foreach $user->subscriptions() as $s}{$s.items.data[0].price.id}{/foreach}',
    'other-template-language',
  ],
  [
    'a map of users',
    'data/users.json',
    '{"u1": {"stripe": {"customer": "cus_1", "purchases": []}}}',
    'purchases-left',
  ],
  // Names as PHP compares them, and names as texts.
  [
    'a method in other letters',
    template,
    php('foreach ($user->Subscriptions() as $s) foreach ($s as $k => $v) echo $v;'),
    'used-as-array',
  ],
  [
    'a method that is reflected',
    template,
    php(
      "membership(); $m = new ReflectionMethod($user, 'subscriptions'); echo $m->invoke($user)[0]['status'];",
    ),
    'not-followed',
  ],
  [
    'a method by a constant',
    template,
    php("const WHAT = 'subscriptions'; echo $user->{WHAT}()[0]['status'];"),
    'not-followed',
  ],
  [
    'a method by a text that is given',
    template,
    php("membership(); echo read_it($user, 'subscriptions');"),
    'not-followed',
  ],
  [
    'purchases of the member as an array',
    template,
    php("$a = $user->toArray(); echo $a['content']['stripe']['purchases'][0]['product'];"),
    'not-followed',
  ],
  // A status that leaves its line.
  ['a status as a key of translations', template, inLoop("echo t('status.' . $s->status);"), 'status-leaves'],
  ['a status as a class', template, inLoop('?><i class="is-<?= $s->status ?>"></i><?php '), 'status-leaves'],
  [
    'a status by its beginning',
    template,
    inLoop("if (str_starts_with($s->status, 'incomplete')) echo 1;"),
    'status-leaves',
  ],
  [
    'a status as an index',
    template,
    inLoop("$words = require 'words.php'; echo $words[$s->status];"),
    'status-leaves',
  ],
  [
    'a status as an index in JavaScript',
    'src/a.js',
    'export const words = (user, all) => user.subscriptions().map((s) => all[s.status])',
    'status-leaves',
  ],
  // Texts that ask.
  [
    'a query in a text',
    template,
    php(
      `echo Str::template('{{ user.subscriptions.0.items.data.0.price.id }}', ['user' => membership()->user()]);`,
    ),
    'not-followed',
  ],
  [
    'GraphQL in JavaScript',
    'src/a.js',
    'createMembership(); export const q = `query { viewer { subscriptions { id items { data { price { id } } } } } }`',
    'not-followed',
  ],
  // TypeScript and PHP that the common tree does not have.
  [
    'export =',
    'src/a.ts',
    'export = (user: any) => user.subscriptions().map((s: any) => s.trial_end)',
    'not-parsed',
  ],
  [
    'a namespace',
    'src/a.ts',
    'namespace A { export const ids = (user: any) => user.subscriptions()[0].trial_end }',
    'not-parsed',
  ],
  ['the value of an enum', 'src/a.ts', 'enum P { First = user.subscriptions()[0].trial_end }', 'not-parsed'],
  [
    'a decorated field',
    'src/a.ts',
    'class A { @use(user.subscriptions()[0].trial_end) x = 1 }',
    'not-parsed',
  ],
  // Files of other kinds.
  [
    'Jinja',
    'views/a.html.jinja',
    '{% for s in user.subscriptions %}{{ s.customer }}{% endfor %}',
    'other-template-language',
  ],
  [
    'MDX',
    'src/a.mdx',
    '<ul>{user.subscriptions().map((s) => <li>{s.items.data[0].price.id}</li>)}</ul>',
    'other-template-language',
  ],
  [
    'a script without an ending',
    'bin/report',
    '#!/usr/bin/env php\n<?php foreach ($user->subscriptions() as $s) { foreach ($s as $v) echo $v; }',
    'used-as-array',
  ],
  ['code in a module', 'site/x.module', inLoop('foreach ($s as $v) echo $v;'), 'used-as-array'],
  [
    'a route in a configuration',
    config,
    php(
      "return ['membership.providers.stripe.secret' => 1, 'routes' => [['pattern' => 'x', 'action' => fn () => kirby()->user()->subscriptions()]]];",
    ),
    'not-followed',
  ],
  [
    'a script within PHP',
    template,
    '<script>for (const s of data.subscriptions) show(s.items.data[0].price.id)</script><?= $x ?>',
    'other-template-language',
  ],
  [
    'a first element in Twig',
    'views/a.twig',
    '{% set s = user.subscriptions|first %}{{ s.customer }}',
    'other-template-language',
  ],
  [
    'a list that is kept in Twig',
    'views/a.twig',
    '{% set all = user.subscriptions %}\n{{ all|json_encode|raw }}',
    'not-followed',
  ],
  [
    'fields taken out in the head of a loop',
    'src/A.vue',
    '<template><li v-for="{ id, customer } in user.subscriptions">{{ id }}</li></template>',
    'trace-of-version-1',
  ],
  [
    'a configuration of compact()',
    config,
    php("$membership = ['stripe' => []]; return compact('membership');"),
    'section-in-code',
  ],
  [
    'keys in a file of their own',
    'data/options.yml',
    'membership:\n  stripe:\n    secret: x\n',
    'key-in-data',
  ],
]
for (const [title, file, text, code] of silent)
  test(`not proven, and reported: ${title}`, async (t) => {
    const plan = await planSite(await siteOf(t, { [file]: text }))
    t.true(left(plan).includes(code), JSON.stringify(plan.decisions))
    t.false(isDone(plan))
  })

for (const file of ['a.phtml', 'a.inc', 'a.tpl', 'a.PHP'])
  test(`PHP in a file ${file} is changed`, async (t) => {
    const plan = await planSite(await siteOf(t, { [`site/${file}`]: inLoop("echo $s['status'];") }))
    t.deepEqual(
      plan.changes.map(({ summary }) => summary),
      [["['status'] → ->status"]],
    )
  })

// What looks alike and is nothing, or is version 2 already.
const proven: [string, string][] = [
  [
    'src/a.js',
    "import { membership } from 'membership'\nctx.membership.user(); t('membership.title'); f({ membership: false })",
  ],
  [
    template,
    php('echo option(\'membership.providers.stripe.secret\'), option("membership.providers.$p.secret");'),
  ],
  [
    template,
    php("echo option('membership')['providers']['stripe'], page('membership'), t('membership.' . $title);"),
  ],
  [
    template,
    inLoop('$i = $s->items[0]; echo $i->price_id, $s->metadata["seats"]; snippet("card", ["s" => $s]);'),
  ],
  [template, inLoop('$m = $s->metadata; echo $m["seats"]; $all[] = $s; echo isset($s->price_id);')],
  [
    template,
    php(
      "$cart = cart(); echo $cart['items'][0]['price']; foreach ($user->subscriptions() as $s) echo $s->status;",
    ),
  ],
  ['views/a.hbs', '{{#each subscriptions}}{{price_id}} {{status}}{{/each}}'],
  ['views/a.twig', "{% for s in user.subscriptions %}{{ s.current_period_end|date('d.m.Y') }}{% endfor %}"],
  ['data/shop.json', '{"orders": {"purchases": [1]}}'],
  // A status that is compared or shown as a word, and texts that only sound alike.
  [template, inLoop("if ($s->status === 'active') echo $s->status; ?><b><?= $s->status ?></b><?php ")],
  [template, inLoop("echo t('status.' . ($s->provider_status ?? $s->status));")],
  [
    template,
    php(
      "snippet('subscriptions'); echo t('subscriptions'), page('subscriptions'), option('membership.providers.stripe.secret');",
    ),
  ],
  [
    template,
    php("echo Str::template('{{ user.subscriptions.first.price_id }}', ['user' => membership()->user()]);"),
  ],
  [
    'src/a.js',
    'createMembership(); export const q = `query { viewer { subscriptions { id status price_id } } }`',
  ],
  [
    'site/feed.php',
    '<?xml version="1.0"?><a><?php foreach ($user->subscriptions() as $s) echo $s->id; ?></a>',
  ],
  [
    'src/a.ts',
    'export namespace A { export const x = 1 }\nexport const n = (user: any) => user.subscriptions().length',
  ],
  [template, php('$x = new Card(...$all, name: 1); $this->a::for(); echo count($user->subscriptions());')],
  ['package-lock.json', '{"membership": {"stripe": {"secret": 1}}}'],
]
for (const [i, [file, text]] of proven.entries())
  test(`nothing of version 1: ${file}, ${i}`, async (t) => {
    const plan = await planSite(await siteOf(t, { [file]: text }))
    t.deepEqual(left(plan), [])
    t.true(isDone(plan))
  })

test('queries in blueprints, mails and pages are found where a site has memberships', async (t) => {
  const query = 'text: "{{ user.subscriptions.first.items.data.0.price.id }}"'
  for (const file of ['site/blueprints/pages/a.yml', 'site/mails/a.txt', 'content/a/a.txt', 'docs/a.md'])
    for (const [text, isFound] of [
      [query, true],
      ['text: "{{ user.subscriptions.first.status }}"', false],
      ['text: "{{ user.stripe.yaml.purchases }}"', true],
    ] as const) {
      const v2Config = { [config]: php("return ['membership.providers.stripe.secret' => 1];") }
      const ours = await planSite(await siteOf(t, { [file]: text, ...v2Config }))
      const others = await planSite(await siteOf(t, { [file]: text }))
      t.is(left(ours).includes('query'), isFound, text)
      t.deepEqual(left(others), [])
    }
})

test('hooks and routes in a configuration are rewritten together with its keys', async (t) => {
  const site = await siteOf(t, {
    [config]: php(
      "return ['membership.stripe.secret' => 1, 'hooks' => ['x' => function () { foreach (kirby()->user()->subscriptions() as $s) echo $s['id']; }]];",
    ),
    'site/blueprints/users/member.yml': 'fields:\n  stripe:\n    type: hidden\n    membership: false\n',
  })
  await migrateSite(site, { write: true, backup: `${site}.backup` })
  const text = readFileSync(join(site, config), 'utf8')
  t.true(text.includes("'membership.providers.stripe.secret'") && text.includes('echo $s->id'), text)
})

test('blueprints as Kirby reads them get their field, and keep every byte', async (t) => {
  const odd = [
    'title: M\nfields:\n  x:\n    type: text\n    placeholder: @username',
    'title: M\nfields:\n  x:\n    label: {{ user.name }} here',
    'title: M\nfields:\n  x:\n    after: %',
    'title: M\npermissions:\n  pages:\n    *: true\nfields:\n  city:\n    type: text',
    'title: M\nfields:\n\tx:\n\t\ttype: text',
  ]
  for (const text of odd) {
    const plan = await planSite(
      await siteOf(t, { [config]: v1Config, 'site/blueprints/users/member.yml': text }),
    )
    const edits = plan.changes.find(({ part }) => part === 'blueprints')?.edits
    t.is(edits?.length, 1, text)
    t.is(edits?.[0]?.start, text.length)
    t.regex(edits?.[0]?.text ?? '', /^\n(\s+)stripe:\n\1\s+type: hidden\n\1\s+membership: false$/)
  }
})

test('only the roles that the configuration names get the field', async (t) => {
  const roles = ['member', 'editor', 'patron']
  const files = Object.fromEntries(
    roles.map((role) => [
      `site/blueprints/users/${role}.yml`,
      `title: ${role}\nfields:\n  a:\n    type: text\n`,
    ]),
  )
  const cases: [string, string[]][] = [
    ["'membership.manageUsers.role' => 'member'", ['member']],
    ["'membership.members.roles' => ['member', 'patron']", ['member', 'patron']],
    ["'x' => 1", ['member']],
    // Not known, or without a blueprint here: a question.
    ["'membership.manageUsers.role' => role()", []],
    ["'membership.manageUsers.role' => 'reader'", []],
  ]
  for (const [key, expected] of cases) {
    const plan = await planSite(
      await siteOf(t, { ...files, [config]: php(`return ['membership.stripe.secret' => 1, ${key}];`) }),
    )
    const changed = plan.changes.filter(({ part }) => part === 'blueprints').map(({ file }) => file)
    t.deepEqual(changed.sort(), expected.map((role) => `site/blueprints/users/${role}.yml`).sort(), key)
    t.is(left(plan).includes('which-role'), expected.length === 0, key)
  }
  const key = "'membership.manageUsers.role' => role()"
  const one = 'title: patron\nfields:\n  stripe:\n    type: hidden\n    membership: false\n'
  const plan = await planSite(
    await siteOf(t, {
      ...files,
      'site/blueprints/users/patron.yml': one,
      [config]: php(`return ['membership.stripe.secret' => 1, ${key}];`),
    }),
  )
  t.false(left(plan).includes('which-role'), 'answered by hand')
  t.deepEqual(
    plan.changes.filter(({ part }) => part === 'blueprints'),
    [],
  )
})

test('what is left on a line that is changed, or explained, is in the first plan', async (t) => {
  const lines = [
    `["membership.stripe.secret" => "a", 'membership.' . 'provider.current' => 'stripe']`,
    `['membership.provider.current' => 'stripe', 'x' => option('membership.' . $key)]`,
    `['membership.stripe.secret' => $local['membership.stripe.secret'] ?? 'a']`,
  ]
  for (const line of lines) {
    const folder = await siteOf(t, {
      [config]: php(`return ${line};`),
      'site/blueprints/users/member.yml': 'fields:\n  stripe:\n    type: hidden\n    membership: false\n',
    })
    const first = await planSite(folder)
    t.true(first.changes.length > 0, line)
    await migrateSite(folder, { write: true })
    const second = left(await planSite(folder))
    t.true(second.length > 0, line)
    const before = left(first)
    t.deepEqual(
      second.filter((code) => !before.includes(code)),
      [],
      line,
    )
  }
})

test('a variable of .env that stands twice stays twice, in its order', async (t) => {
  const plan = async (env: string) =>
    planSite(
      await siteOf(t, {
        '.env': env,
        [config]: php("return ['membership.stripe.secret' => env('MEMBERSHIP_STRIPE_SECRET')];"),
      }),
      { renameEnv: true },
    )
  const [test_, live] = ['MEMBERSHIP_STRIPE_SECRET=test\n', 'MEMBERSHIP_STRIPE_SECRET=live\n']
  const edits = ({ changes }: Plan) => changes.find(({ file }) => file === '.env')!.edits
  t.deepEqual(
    edits(await plan(test_ + live)).map(({ start, text }) => [start, text]),
    [
      [0, 'MEMBERSHIP_PROVIDERS_STRIPE_SECRET'],
      [test_.length, 'MEMBERSHIP_PROVIDERS_STRIPE_SECRET'],
    ],
  )
  // With one value the second line says nothing.
  t.is(edits(await plan(live + live)).at(-1)?.text, '')
  for (const line of ['MEMBERSHIP_STRIPE_SECRET: x\n', 'MEMBERSHIP_STRIPE_SECRET\n'])
    t.true(left(await plan(line)).includes('env-not-read'), line)
})

test('variables that depend on each other take linear time', async (t) => {
  const lines = Array.from({ length: 1000 }, () => '$a = $a ?? $b; $b = $c ?: $a; $c = [$a, $b];')
  const began = process.cpuUsage().user
  const plan = await planSite(
    await siteOf(t, { [template]: php(`$a = $user->subscriptions();\n${lines.join('\n')}\necho $c;`) }),
  )
  t.true(left(plan).length > 0)
  // It took minutes for 40 lines.
  t.true((process.cpuUsage().user - began) / 1e6 < 60)
})

const v1Config = php("return ['membership.stripe.secret' => 'x', 'membership.provider.handler' => 'stripe'];")

test('a role’s blueprint in a plugin is listed or has its field, and is never reported missing', async (t) => {
  const cases: [Record<string, string>, string[]][] = [
    [{ 'site/plugins/x/blueprints/users/member.yml': 'title: Member' }, ['field-in-plugin']],
    [
      {
        'site/plugins/x/blueprints/users/member.yml':
          'fields:\n  stripe:\n    type: hidden\n    membership: false',
        'site/plugins/x/index.php': php(
          "return ['blueprints' => ['users/member' => __DIR__ . '/blueprints/users/member.yml']];",
        ),
      },
      [],
    ],
    [
      { 'site/plugins/x/index.php': php("return ['blueprints' => ['users/member' => ['title' => 'x']]];") },
      ['field-in-code'],
    ],
    [
      {
        'site/plugins/x/index.php': php(
          "return ['blueprints' => ['users/member' => ['fields' => ['stripe' => ['type' => 'hidden']]]]];",
        ),
      },
      [],
    ],
    [{}, ['no-member-blueprint']],
  ]
  for (const [files, expected] of cases) {
    const plan = await planSite(await siteOf(t, { [config]: v1Config, ...files }))
    t.deepEqual(left(plan), expected, JSON.stringify(files))
  }
})

test('a field that inherits the type hidden is hidden', async (t) => {
  const hidden = 'type: hidden\nmembership: false\n'
  const cases: [string, string, string[]][] = [
    ['fields:\n  stripe: fields/stripe\n', hidden, []],
    ['fields:\n  stripe:\n    extends: fields/stripe\n', hidden, []],
    ['fields:\n  stripe: fields/stripe\n', 'type: text\n', ['field-is-not-hidden']],
    ['fields:\n  stripe: fields/stripe\n', 'type: hidden\n', ['field-is-not-closed']],
  ]
  for (const [member, field, expected] of cases) {
    const plan = await planSite(
      await siteOf(t, {
        [config]: v1Config,
        'site/blueprints/users/member.yml': member,
        'site/blueprints/fields/stripe.yml': field,
      }),
    )
    t.deepEqual(left(plan), expected, member + field)
  }
})

test('a key built from literals is suggested as one, a chosen role as a list', async (t) => {
  const cases: [string, string, string][] = [
    ["'membership.' . 'stripe' . '.webhook' => 'x'", 'key-in-code', "'membership.providers.stripe.webhook'"],
    ["'x' => option('membership.' . 'manageUsers.role')", 'key-in-code', "'membership.members.roles'"],
    [
      "'membership.manageUsers.role' => $live ? 'member' : 'tester'",
      'role-not-literal',
      "'membership.members.roles' => [$live ? 'member' : 'tester']",
    ],
    [
      "'membership' => ['manageUsers' => ['role' => $live ? 'member' : 'tester']]",
      'role-not-literal',
      "'members.roles' => [$live ? 'member' : 'tester']",
    ],
  ]
  for (const [entry, code, replacement] of cases) {
    const { decisions } = await planSite(await siteOf(t, { [config]: php(`return [${entry}];`) }))
    t.true(
      decisions.some((decision) => decision.code === code && decision.replacement === replacement),
      JSON.stringify(decisions),
    )
  }
})

test('no suggestion equals the existing text', async (t) => {
  const text = php(`return ['membership.' . 'stripe' . '.secret' => 1, 'membership.' . 'stripe.' . $x => 2];`)
  const { decisions } = await planSite(await siteOf(t, { [config]: text }))
  t.true(decisions.length > 0)
  for (const { replacement, column } of decisions)
    t.false(replacement !== null && text.startsWith(replacement, column! - 1), replacement ?? '')
})

test('a comment marks code as checked, and then it counts as correct', async (t) => {
  const looked = inLoop('// membership: looked at\n echo count($s);')
  const plan = await planSite(await siteOf(t, { [template]: looked }))
  t.deepEqual(
    plan.decisions.map(({ code, level }) => [code, level]),
    [['used-as-array', 'know']],
  )
  t.true(isDone(plan))
})

test('a file of a set that would be read without a handler is reported', async (t) => {
  const handler = "'membership.provider.handler' => 'stripe'"
  const secret = "'membership.providers.stripe.secret' => 'x'"
  const sets: [Record<string, string>, string[]][] = [
    [
      { 'config.localhost.php': handler, 'config.example.com.php': secret, 'config.php': "'a' => 1" },
      ['config.example.com.php'],
    ],
    [{ 'config.localhost.php': handler, 'config.php': secret }, ['config.php']],
    [{ 'config.example.com.php': secret, 'config.php': handler }, []],
  ]
  for (const [files, wanted] of sets) {
    const site = Object.entries(files).map(([name, text]) => [
      `site/config/${name}`,
      php(`return [${text}];`),
    ])
    const { decisions } = await planSite(await siteOf(t, Object.fromEntries(site)), { only: ['config'] })
    const found = decisions.filter(({ code }) => code === 'handler-needed').map(({ file }) => file)
    t.deepEqual(
      found,
      wanted.map((name) => `site/config/${name}`),
    )
  }
})

test('unsupported forms in a database are reported once for each column', async (t) => {
  const site = await emptyFolder(t)
  const db = new Database(join(site, 'site.sqlite'))
  const data = '{"customer":"cus_1","purchases":["price_1"]}'
  db.exec('create table blobs (id integer primary key, stripe blob)')
  db.prepare('insert into blobs values (1, ?)').run(Buffer.from(data))
  db.exec('create table pairs (id text primary key, stripe text) without rowid')
  db.prepare("insert into pairs values ('a', ?)").run(data)
  db.exec('create table options (id integer primary key, name text, value text)')
  db.prepare("insert into options values (1, 'stripe', ?)").run(data)
  db.prepare("insert into options values (2, 'users', ?)").run(`{"u1":{"email":"a@b.c","stripe":${data}}}`)
  db.exec(
    "create table posts (id integer primary key, body text); insert into posts values (1, 'purchases: a guide')",
  )
  db.close()
  const plan = await planSite(site)
  t.deepEqual(
    plan.decisions.map(({ code, reason }) => `${code} ${/Table "(\w+)"/.exec(reason)?.[1]}`).sort(),
    ['not-read blobs', 'not-read pairs', 'other-field options', 'purchases-left options'],
  )
  t.false(isDone(plan))
})

test('a table with triggers is not written, and the report says what to do', async (t) => {
  const site = await emptyFolder(t)
  const db = new Database(join(site, 'site.sqlite'))
  db.exec('create table users (id integer primary key, stripe text, log text)')
  db.prepare('insert into users values (1, ?, null)').run('{"customer":"cus_1","purchases":[]}')
  db.exec("create trigger audit after update on users begin update users set log = 'changed'; end")
  db.close()
  const plan = await planSite(site)
  t.deepEqual(plan.databases, [])
  t.deepEqual(
    plan.decisions.map(({ code, level }) => [code, level]),
    [['has-triggers', 'decide']],
  )
  t.regex(plan.decisions[0]?.replacement ?? '', /drop trigger "audit"/)
})

test('backups have their own .gitignore, and an existing one stays', async (t) => {
  const files = { [config]: php("return ['membership.stripe.secret' => 'x'];") }
  const site = await siteOf(t, files)
  await migrateSite(site, { write: true })
  t.is(readFileSync(join(site, '.membership-migration/.gitignore'), 'utf8'), '*\n')
  const backup = await siteOf(t, { '.gitignore': 'own' })
  await migrateSite(await siteOf(t, files), { write: true, backup })
  t.is(readFileSync(join(backup, '.gitignore'), 'utf8'), 'own')
})

test('a subscription declared as an array is a decision with the type to write', async (t) => {
  const declared: [string, number][] = [
    ['array_map(function (array $s) { return $s["id"]; }, $user->subscriptions());', 1],
    ['array_map(fn (?array $s): array => $s, $user->subscriptions());', 2],
    ['function first($user): array|null { return $user->subscriptions()[0] ?? null; }', 1],
    ['array_map(fn (object $s): object => $s, $user->subscriptions());', 0],
    ['function all($user): array { return $user->subscriptions(); }', 0],
    ['array_map(fn (array $s) => $s["id"], $page->children());', 0],
  ]
  for (const [code, count] of declared) {
    const { decisions } = await planSite(await siteOf(t, { [template]: php(code) }))
    const found = decisions.filter((decision) => decision.code === 'declared-array')
    t.is(found.length, count, code)
    t.true(found.every(({ level, replacement }) => level === 'decide' && replacement === 'object'))
  }
})

test('declared arrays in classes are found: properties, promoted parameters, returns, in this and other files', async (t) => {
  const loop = (body: string) => `<?php foreach ($user->subscriptions() as $s) { ${body} }`
  const cases: [Record<string, string>, string[]][] = [
    [
      {
        'a.php': `${loop('$v = new V($s);')} class V { private ?array $sub = null; function __construct($x) { $this->sub = $x; } }`,
      },
      ['a.php object'],
    ],
    [
      {
        'a.php': loop('new V($s);'),
        'V.php': '<?php class V { function __construct(private array $raw) {} }',
      },
      ['V.php object'],
    ],
    [
      {
        'a.php': loop('$v->set($s);'),
        'V.php':
          '<?php class V { public array|null $sub; function set(?array $x): void { $this->sub = $x; } }',
      },
      ['V.php object', 'V.php object'],
    ],
    [
      {
        'V.php':
          '<?php class V { function first($u): ?array { $all = array_merge($u->subscriptions(), []); return $all[0] ?? null; } }',
      },
      ['V.php null'],
    ],
    [
      {
        'a.php': `<?php new V($user->subscriptions());`,
        'V.php': '<?php class V { function __construct(private array $all) {} }',
      },
      [],
    ],
  ]
  for (const [files, expected] of cases) {
    const { decisions } = await planSite(await siteOf(t, files))
    const found = decisions.filter((decision) => decision.code === 'declared-array')
    t.deepEqual(
      found.map(({ file, replacement }) => `${file} ${replacement}`),
      expected,
      JSON.stringify(files),
    )
  }
})

test('a parameter with unknown callers is a decision, not an edit', async (t) => {
  const path = "['items']['data'][0]['price']['id']"
  for (const body of [
    `function price($sub) { return $sub${path}; } price(json_decode($body, true)['data']['object']);`,
    `class A { function price(array $sub) { return $sub${path}; } }`,
    `$price = fn ($sub) => $sub${path};`,
  ]) {
    const { changes, decisions } = await planSite(await siteOf(t, { [template]: php(body) }))
    t.deepEqual(changes, [], body)
    t.deepEqual(
      decisions.map(({ code, replacement }) => [code, replacement]),
      [['unknown-value', '$sub->price_id']],
    )
  }
})

/** Imports, a use of what they import, what another file makes, its name, and what is said. */
const inScripts: [string, string, string, string, string][] = [
  [
    "import { until } from './lib.js'",
    'until(user.subscriptions()[0])',
    'export const until = (x) => x.current_period_end',
    'src/lib.js',
    'src/lib.js unknown-value Date.parse(x.current_period_end) / 1000',
  ],
  [
    "import { until as when } from './lib.js'",
    "when('x', user.subscriptions()[0])",
    'export function until(_, x) { const y = x; return y.latest_invoice }',
    'src/lib.js',
    'src/lib.js unknown-value null',
  ],
  [
    "import label from './lib/until.js'",
    'label(user.subscriptions()[0])',
    'export default ({ trial_end }) => trial_end',
    'src/lib/until.js',
    'src/lib/until.js destructured { trial_ends_at: trial_end }',
  ],
  [
    "const label = require('./lib/until')",
    'label(user.subscriptions())',
    'module.exports = function (all) { return all[0].trial_end }',
    'src/lib/until/index.js',
    'src/lib/until/index.js unknown-value Date.parse(all[0].trial_ends_at) / 1000',
  ],
  [
    "const { until: end } = require('./lib')",
    'user.subscriptions().map(end)',
    'exports.until = (x) => x.trial_end',
    'src/lib.js',
    'src/lib.js unknown-value Date.parse(x.trial_ends_at) / 1000',
  ],
  [
    "import { Until } from './lib.js'",
    'new Until(user.subscriptions()[0])',
    'export class Until { constructor(one) { this.one = one } end() { return this.one.trial_end } }',
    'src/lib.js',
    'src/lib.js unknown-value Date.parse(this.one.trial_ends_at) / 1000',
  ],
  [
    "import { newest } from './lib.js'",
    'newest(user).trial_end',
    'export const newest = (user) => user.subscriptions()[0]',
    'src/lib.js',
    'src/page.js unknown-value Date.parse(newest(user).trial_ends_at) / 1000',
  ],
]

test('a value passed to another file is searched there, under its name there', async (t) => {
  const given = (code: string) => inLoop(code)
  const cases: [Record<string, string>, string][] = [
    [
      {
        [template]: given("snippet('card', ['s' => $s]);"),
        'site/snippets/card.php': php("echo $s['status'];"),
      },
      'site/snippets/card.php unknown-value $s->status',
    ],
    [
      {
        'site/controllers/account.php': php(
          "return function ($kirby) { $mine = $kirby->user()->subscriptions(); return compact('mine'); };",
        ),
        [template]: php("foreach ($mine as $one) { echo $one['currency']; }"),
      },
      'site/templates/account.php unknown-value strtolower($one->currency)',
    ],
    [
      {
        [template]: given('card($s);'),
        'site/plugins/x/card.php': php("function card($one) { echo $one['status']; }"),
      },
      'site/plugins/x/card.php unknown-value $one->status',
    ],
    [
      {
        'views/account.blade.php':
          "@foreach($user->subscriptions() as $sub)\n@include('card', ['s' => $sub])\n@endforeach",
        'views/card.blade.php': "{{ $s['status'] }}",
      },
      'views/card.blade.php other-template-language $s->status',
    ],
    [
      {
        'views/account.twig':
          "{% for sub in user.subscriptions %}{% include 'card' with {s: sub} %}{% endfor %}",
        'views/card.twig': '{{ s.plan.id }}',
      },
      'views/card.twig trace-of-version-1 null',
    ],
    [
      {
        'src/account.js':
          "import { user } from './user.js'\nexport const page = (ctx) => ctx.render('account', { mine: ctx.user.subscriptions()[0] })",
        'src/card.js': 'export const card = ({ mine }) => mine.current_period_end * 1000',
      },
      'src/card.js unknown-value Date.parse(mine.current_period_end) / 1000',
    ],
    [
      {
        [template]: php("echo latest($user)['status'];"),
        'site/plugins/x/latest.php': php('function latest($user) { return $user->subscriptions()[0]; }'),
      },
      'site/templates/account.php unknown-value latest($user)->status',
    ],
    ...inScripts.map(([imports, use, made, file, expected]): [Record<string, string>, string] => [
      { 'src/page.js': `${imports}\nexport const page = (user) => ${use}`, [file]: made },
      expected,
    ]),
  ]
  for (const [files, expected] of cases) {
    const site = await siteOf(t, files)
    const plan = await planSite(site)
    const said = plan.decisions.map(({ file, code, replacement }) => `${file} ${code} ${replacement}`)
    t.true(said.includes(expected), `${Object.values(files).join('\n')}\n${said.join('\n')}`)
    t.false(isDone(plan))
  }
})

test('a name that nobody passes, or of version 2 already, is ignored', async (t) => {
  const site = await siteOf(t, {
    [template]: inLoop("snippet('card', ['s' => $s, 'title' => 'x']);"),
    'site/snippets/card.php': php('echo $s->status, $title["x"];'),
    'site/snippets/other.php': php(
      "foreach ($page->children() as $s) { echo $s['status']; } echo $x['status'];",
    ),
    'src/page.js':
      "import { label } from './lib.js'\nexport const page = (user) => label(user.subscriptions()[0])",
    'src/lib.js':
      'export const label = (x) => x.price_id + x.items[0].price_id + (x.provider_status ?? x.status)',
    'src/other.js': 'export const other = (page) => page.title + page.created + page.trial_end',
  })
  t.deepEqual(
    (await planSite(site)).decisions.filter(({ part }) => part === 'templates'),
    [],
  )
})

test('an unread file is not proven; a link to pictures is harmless', async (t) => {
  const outside = await siteOf(t, { 'a.php': '<?php' })
  for (const [name, isProven] of [
    ['accounts', false],
    ['media', true],
    ['content', true],
  ] as const) {
    const site = await siteOf(t, { 'index.html': '' })
    symlinkSync(outside, join(site, name))
    t.is(isDone(await planSite(site)), isProven, name)
  }
})

test('commands exit with 2 while something is left or unproven, and doctor names it', async (t) => {
  const site = await siteOf(t, { [template]: inLoop('echo count($s);') })
  const { isWell, checks } = await examine(site, { env: {}, now: () => new Date(), randomId: () => 'x' })
  t.false(isWell)
  t.like(
    checks.find(({ name }) => name === 'unproven'),
    { status: 'problem', file: template, line: 1 },
  )
  const check = await runCommand(site, ['migrate', '.', '--check'])
  t.is(check.code, 2)
  t.regex(check.stdout, /Not proven[\s\S]*account\.php:1:\d+ used-as-array/)
  t.is((await runCommand(site, ['doctor', '.'])).code, 2)
})
