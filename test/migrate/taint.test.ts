import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { isDone, planSite } from '../../src/migrate/site.ts'
import { emptyFolder } from '../support/migrate.ts'

async function planOf(t: ExecutionContext, files: Record<string, string>) {
  const site = await emptyFolder(t)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(site, file)), { recursive: true })
    writeFileSync(join(site, file), text)
  }
  return planSite(site)
}

const path = "['items']['data'][0]['price']['id']"

// Each stood alone in a site that counted as proven, and real PHP shows something else in version 2, or throws.
const php: [string, string][] = [
  [
    'a closure that returns them',
    `$mine = fn ($u) => $u->subscriptions(); foreach ($mine($user) as $s) { echo $s['status']; }`,
  ],
  [
    'a static method that returns them',
    `class Repo { static function mine($u) { return $u->subscriptions(); } } foreach (Repo::mine($user) as $s) { echo $s['status']; }`,
  ],
  [
    'lists of several users, merged',
    `foreach (array_merge(...array_map(fn ($u) => $u->subscriptions(), $users)) as $s) { echo $s['status']; }`,
  ],
  [
    'a function of this file by a first-class callable',
    `function status($s) { return $s['status']; } echo implode(array_map(status(...), $user->subscriptions()));`,
  ],
  [
    'subscriptions() itself by a first-class callable',
    `$all = $user->subscriptions(...); foreach ($all() as $s) { echo $s['status']; }`,
  ],
  [
    'an argument by reference',
    `function fill(&$out, $user) { $out = $user->subscriptions(); } fill($all, $user); foreach ($all as $s) { echo $s['status']; }`,
  ],
  [
    'global',
    `$all = $user->subscriptions(); function show() { global $all; foreach ($all as $s) { echo $s['status']; } } show();`,
  ],
  [
    'yield from',
    `function each_of($u) { yield from $u->subscriptions(); } foreach (each_of($user) as $s) { echo $s['status']; }`,
  ],
  ['chunks, taken apart', `foreach (array_chunk($user->subscriptions(), 1) as [$s]) { echo $s['status']; }`],
  [
    'two lists as one, taken apart',
    `foreach (array_map(null, $labels, $user->subscriptions()) as [$l, $s]) { echo $l, $s['status']; }`,
  ],
  [
    'a template in place',
    `foreach ($user->subscriptions() as $s) { echo Str::template('{{ s.items.data.0.price.id }}', ['s' => $s]); }`,
  ],
  [
    'a constructor that takes an array',
    `class V { private $s; function __construct(array $s) { $this->s = $s; } } foreach ($user->subscriptions() as $s) { $v = new V($s); }`,
  ],
  [
    'a constructor that keeps an array',
    `class V { function __construct(private array $raw) {} function id() { return $this->raw${path}; } } foreach ($user->subscriptions() as $s) { echo (new V($s))->id(); }`,
  ],
  // Not named by anybody, and alike.
  ['a function that nobody knows', `foreach ($user->subscriptions() as $s) { log_it($s); }`],
  ['a cache', `$kirby->cache('x')->set('all', $user->subscriptions());`],
  ['a session', `$_SESSION['all'] = $user->subscriptions();`],
  ['a comparison', `[$a, $b] = $user->subscriptions(); var_dump($a == $b);`],
  [
    'a route',
    `return ['routes' => [['pattern' => 'x', 'action' => fn () => kirby()->user()->subscriptions()]]];`,
  ],
  ['a method by its name', `foreach (call_user_func([$user, 'subscriptions']) as $s) { echo $s['status']; }`],
  [
    'what PHP calls by itself',
    `class A { function __get($n) { return kirby()->user()->subscriptions(); } } echo (new A)->x[0]['status'];`,
  ],
  [
    'a static property',
    `class A { static $all; } A::$all = $user->subscriptions(); echo A::$all[0]['status'];`,
  ],
  ['a reference', `$all = $user->subscriptions(); $same = &$all; echo $same[0]['status'];`],
  ['a property of an object', `$o->first = $user->subscriptions()[0]; echo $o->first['status'];`],
  // Callbacks that are one of several functions, or named by more than a name.
  [
    'a callback of a choice',
    `$all = $user->subscriptions(); usort($all, $a ? fn ($a, $b) => $a['id'] <=> $b['id'] : fn ($a, $b) => 1);`,
  ],
  [
    'a callback of a match',
    `echo count(array_filter($user->subscriptions(), match ($o) { 1 => fn ($s) => $s['status'] === 'active', default => fn ($s) => true }));`,
  ],
  [
    'a callback in a variable that holds its name',
    `function by($a, $b) { return $a['id'] <=> $b['id']; } $by = 'by'; $all = $user->subscriptions(); usort($all, $by);`,
  ],
  [
    'a callback that is assigned in place',
    `echo count(array_filter($user->subscriptions(), $f = fn ($s) => $s['status'] === 'active'));`,
  ],
  [
    'a static method in an array',
    `class A { static function on($s) { return $s['status'] === 'active'; } } echo count(array_filter($user->subscriptions(), ['A', 'on']));`,
  ],
  [
    'a method of the same class in an array',
    `class A { static function on($s) { return $s['status'] === 'active'; } static function n($u) { return count(array_filter($u->subscriptions(), [self::class, 'on'])); } } echo A::n($user);`,
  ],
  [
    'a static method by a text of pieces',
    `class A { static function by($a, $b) { return $a['id'] <=> $b['id']; } } $all = $user->subscriptions(); usort($all, A::class . '::by');`,
  ],
  ['a callback that nobody knows', `echo count(array_filter($user->subscriptions(), $this->test));`],
  [
    'func_get_args',
    `function f() { foreach (func_get_args() as $s) echo $s['status']; } f(...$user->subscriptions());`,
  ],
  [
    'func_get_arg',
    `function f() { return func_get_arg(0)['status']; } foreach ($user->subscriptions() as $s) echo f($s);`,
  ],
  ['a field of a purchase', `foreach (membership()->provider()->purchases() as $p) { echo $p['product']; }`],
  [
    'the id of a price that was bought, compared',
    `echo in_array('price_1', membership()->provider()->getUserData()['purchases']);`,
  ],
  ['purchases, looked up by their price', `echo isset($user->stripe()->yaml()['purchases']['price_1']);`],
  [
    'purchases that a function gives back',
    `function mine() { return membership()->provider()->purchases(); } foreach (mine() as $p) { echo $p; }`,
  ],
  [
    'purchases of data that a function gives back',
    `function data() { return membership()->provider()->getUserData(); } echo implode(data()['payments']);`,
  ],
  [
    'a purchase that is declared a text',
    `$show = fn (string $p) => 1; foreach (membership()->provider()->payments() as $p) { $show($p); }`,
  ],
  ['payments in the manner of version 1', `echo membership()->provider()->payments()[0]['product'];`],
  ['the provider’s data as a whole', `echo json_encode(membership()->provider()->getUserData());`],
]

const script: [string, string][] = [
  ['an object made of it', 'const s = user.subscriptions()[0]; console.log({ ...s }.customer)'],
  [
    'a copy by JSON',
    'const subs = user.subscriptions(); const c = JSON.parse(JSON.stringify(subs)); c[0].trial_end',
  ],
  ['JSON for somebody else', 'export const all = (user) => JSON.stringify(user.subscriptions())'],
  ['a function that nobody knows', 'send(user.subscriptions())'],
  ['a function that is handed over', 'user.subscriptions().map(format)'],
  ['a default value', 'function f(s = user.subscriptions()[0]) { return s.trial_end } f()'],
  ['a getter', 'class A { get first() { return user.subscriptions()[0] } }\nnew A().first.trial_end'],
  ['a field of a class', 'class A { first = user.subscriptions()[0] }\nnew A().first.trial_end'],
  ['keys of one', 'Object.entries(user.subscriptions()[0])'],
  ['a promise', 'Promise.resolve(user.subscriptions()).then((all) => all[0].trial_end)'],
  ['a field of a purchase', 'membership().provider().purchases().map((p) => p.product)'],
  ['a price that was bought', "membership().provider().getUserData().purchases.includes('price_1')"],
  ['payments, compared', "user.content('stripe').payments.some((p) => p === 'price_1')"],
  ['payments as keys', "const has = {}; for (const p of user.content('stripe').payments) has[p] = 1"],
  ['purchases, taken out', 'const { payments } = user.content("stripe"); send(payments)'],
  [
    'a callback of a choice',
    'user.subscriptions().sort(up ? (a, b) => a.plan.amount - b.plan.amount : (a, b) => 1)',
  ],
  [
    'a callback in a variable of a choice',
    'const by = (a, b) => a.plan.amount - b.plan.amount\nuser.subscriptions().sort(up ? by : undefined)',
  ],
  ['a callback after a comma', "user.subscriptions().filter((0, (s) => s.plan.id === 'x')).length"],
  ['a callback of another object', 'user.subscriptions().map(ctx.fmt || ((s) => s.id))'],
  [
    'a callback of a list with a function of the same name',
    'const filter = (x) => x\nuser.subscriptions().filter(ctx.fmt)',
  ],
  ['arguments', 'function f() { return arguments[0].trial_end }\nuser.subscriptions().map((s) => f(s))'],
  ['a rest', 'const [, ...rest] = user.subscriptions(); rest[0].trial_end'],
]

for (const [language, cases, file, begin] of [
  ['PHP', php, 'site/templates/account.php', '<?php\n'],
  ['JavaScript', script, 'src/account.js', '\n'],
] as const)
  for (const [title, code] of cases)
    test(`${language} that is not tracked is not proven: ${title}`, async (t) => {
      const plan = await planOf(t, { [file]: begin + code })
      const left = plan.decisions.filter(({ level, line }) => level !== 'know' && line !== null)
      t.true(left.length > 0, JSON.stringify(plan.decisions))
      t.false(isDone(plan))
    })

const across: [string, Record<string, string>, string][] = [
  [
    'what a file gives back to whoever includes it',
    {
      'site/a.php': '<?php return kirby()->user()->subscriptions();',
      'site/b.php': "<?php foreach (include 'a.php' as $s) { echo $s['status']; }",
    },
    'site/a.php',
  ],
  [
    'a variable that an included file sees',
    {
      'site/a.php': "<?php $own = $user->subscriptions()[0]; include 'b.php';",
      'site/b.php': "<?php echo $own['status'];",
    },
    'site/b.php',
  ],
  [
    'a method of an object',
    {
      'site/Repo.php': '<?php class Repo { function mine($u) { return $u->subscriptions(); } }',
      'site/b.php': "<?php $repo = new Repo; foreach ($repo->mine($user) as $s) { echo $s['status']; }",
    },
    'site/b.php',
  ],
  [
    'a constructor in another file',
    {
      'site/Card.php': '<?php class Card { function __construct(private array $raw) {} }',
      'site/b.php': '<?php foreach ($user->subscriptions() as $s) { $card = new Card($s); }',
    },
    'site/Card.php',
  ],
  [
    'a purchase that a snippet shows',
    {
      'site/a.php': "<?php snippet('b', ['paid' => membership()->provider()->purchases()]);",
      'site/snippets/b.php': "<?php foreach ($paid as $p) { echo $p['product']; }",
    },
    'site/snippets/b.php',
  ],
  [
    'a function in another file that takes a purchase as text',
    {
      'site/a.php': '<?php foreach (membership()->provider()->purchases() as $p) { show_price($p); }',
      'site/b.php': '<?php function show_price(string $price) { return 1; }',
    },
    'site/b.php',
  ],
  [
    'purchases that a template of another language of JavaScript shows',
    {
      'src/a.js': "ctx.render('paid', { paid: membership().provider().purchases() })",
      'src/views/paid.eta': '<% for (const p of it.paid) { %><%= p.product %><% } %>',
    },
    'src/views/paid.eta',
  ],
  [
    'a variable of a module',
    {
      'src/a.js': 'export const mine = user.subscriptions()',
      'src/b.js': "import { mine as all } from './a.js'\nall[0].trial_end",
    },
    'src/b.js',
  ],
]
for (const [title, files, where] of across)
  test(`values that reach another file are tracked there: ${title}`, async (t) => {
    const plan = await planOf(t, files)
    t.true(
      plan.decisions.some(({ file, level }) => file === where && level !== 'know'),
      JSON.stringify(plan.decisions),
    )
  })

// Templates in other languages are searched as text.
const templates: [string, string, boolean][] = [
  ['a.twig', '{{ user.subscriptions|json_encode }}', false],
  ['a.twig', '{% for s in user.subscriptions %}{{ s|json_encode }}{% endfor %}', false],
  ['a.twig', '{% for s in user.subscriptions %}{{ dump(s) }}{% endfor %}', false],
  [
    'a.twig',
    '{% if user.subscriptions|length %}{% for s in user.subscriptions %}{{ s.status }}{% endfor %}{% endif %}',
    true,
  ],
  ['a.blade.php', '@json($user->subscriptions())', false],
  ['a.blade.php', '{{ json_encode($user->subscriptions()) }}', false],
  ['a.blade.php', '@foreach($user->subscriptions() as $s) @dump($s) @endforeach', false],
  ['a.blade.php', '@foreach($user->subscriptions() as $s) {{ $s->status }} @endforeach', true],
  ['a.svelte', '{#each user.subscriptions() as s}{s.status}{/each}', true],
  ['a.php', '<?php foreach ($user->subscriptions() as $s) { echo $s->; }', false],
]
for (const [file, text, isProven] of templates)
  test(`as text, ${isProven ? 'followed' : 'not followed'}: ${file} ${text}`, async (t) => {
    const plan = await planOf(t, { [file]: text })
    t.is(isDone(plan), isProven, JSON.stringify(plan.decisions))
  })

// What a site of version 2 may do with them without a word.
const followed: [string, string][] = [
  [
    'a.php',
    '$paid = membership()->provider()->payments(); if (count($paid) > 0) { foreach ($paid as $i => $p) { echo $i, $p->price_id; } }',
  ],
  [
    'a.php',
    'foreach (membership()->provider()->getUserData()["payments"] ?? [] as $p) { if ($p) { echo 1; } }',
  ],
  ['a.js', 'membership().provider().payments().filter((p) => p.price_id).length'],
  [
    'a.php',
    'foreach ($user->subscriptions() as $i => $s) { if ($s) { echo $i, $s->status, $s->price_id; } }',
  ],
  [
    'a.php',
    '$all = array_values(array_filter($user->subscriptions(), fn ($s) => $s->active)); echo count($all);',
  ],
  [
    'a.php',
    'usort($subs, fn ($a, $b) => 1); $subs = $user->subscriptions(); [$first] = $subs; echo $first->status;',
  ],
  [
    'a.php',
    '$by = []; foreach ($user->subscriptions() as $s) { $by[$s->id] = $s; } echo $by["x"]->status ?? "-";',
  ],
  ['a.php', "foreach ($user->subscriptions() as $s) { snippet('card', ['s' => $s, 'title' => 'x']); }"],
  [
    'a.php',
    'function label($s) { return $s->status; } foreach ($user->subscriptions() as $s) { echo label($s); }',
  ],
  ['a.php', 'return function ($kirby) { return ["subs" => $kirby->user()->subscriptions(), "x" => 1]; };'],
  [
    'a.php',
    'class Card { function __construct(private object $sub) {} function id() { return $this->sub->price_id; } } foreach ($user->subscriptions() as $s) { echo (new Card($s))->id(); }',
  ],
  ['a.php', '$s = current($user->subscriptions()) ?: null; echo $s === null ? "none" : $s->status;'],
  ['a.php', 'foreach (array_merge($a->subscriptions(), $user->subscriptions()) as $s) { echo $s->status; }'],
  [
    'a.php',
    'echo $data["purchases"] ?? "", membership()->provider()->getUserData()["customer"];'.replace(
      '$data["purchases"] ?? "", ',
      '',
    ),
  ],
  [
    'a.js',
    'export const active = (user) => user.subscriptions().filter((s) => s.active).map((s) => s.price_id)',
  ],
  [
    'a.js',
    'const [first, ...rest] = user.subscriptions(); if (first && rest.length) console.log(first.status)',
  ],
  ['a.js', 'export const page = (ctx) => ctx.render("account", { subs: ctx.user.subscriptions() })'],
  [
    'a.js',
    'const label = (s) => s.price_id; for (const s of user.subscriptions()) console.log(label(s), s.status)',
  ],
]
for (const [i, [file, code]] of followed.entries())
  test(`tracked code stays proven: ${i}`, async (t) => {
    const plan = await planOf(t, { [file]: file.endsWith('php') ? `<?php\n${code}` : code })
    t.deepEqual(
      plan.decisions.map(({ code: said, reason }) => `${said} ${reason}`),
      [],
      code,
    )
    t.true(isDone(plan))
  })
