/**
 * Writes docs/reference: a page for each namespace of `m`. Sentences and errors come from the types, examples
 * from examples/reference, where a test runs them.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { cliPage } from './cli-page.ts'
import { configGroups, configurationPage, fileOf } from './configuration-pages.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'examples/reference')

/** A part of a page: the examples of one namespace, and the types that promise its calls. */
export interface Part {
  /** What stands before each name, such as `m.users`. */
  readonly prefix: string
  /** The file of the examples, and the constant in it. */
  readonly examples: readonly [file: string, name: string]
  readonly types: readonly string[]
}

export interface Page {
  readonly file: string
  readonly title: string
  readonly lead: string
  readonly parts: readonly Part[]
}

function part(prefix: string, file: string, name: string, ...types: string[]): Part {
  return {
    prefix,
    examples: [file, name],
    types,
  }
}

/** Every page, in the order of the sidebar. */
export const pages: readonly Page[] = [
  {
    file: 'm',
    title: 'm: questions, hosts, jobs',
    lead: '`createMembership()` returns `m`. A picture shows [how it fits together](../how-it-fits-together.md).',
    parts: [part('m', 'instance', 'instance', 'Membership')],
  },
  {
    file: 'view',
    title: 'membership() and the view: ask in templates',
    lead: 'A view is one visitor, loaded once. `ctx.membership` and `await m.viewOf(subject)` are a whole view. `membership()` has `user()`, `allows()`, `plans()` and `provider()` of the running request.',
    parts: [part('view', 'view', 'view', 'View'), part('provider', 'view', 'provider', 'ProviderView')],
  },
  {
    file: 'member',
    title: 'user: a member and what they have',
    lead: '`view.user()`, `m.users.findById()` and `m.users.create()` give a member. It is as of the moment when it was loaded, and frozen. The package also exports `subscriptions(user?)` and `subscriptionForPrice(priceId, user?)`, which ask the same. The fields of a member, a subscription and a payment have [a page](fields.md).',
    parts: [part('user', 'member', 'member', 'User')],
  },
  {
    file: 'users',
    title: 'm.users',
    lead: 'Finds, creates, merges, exports and deletes members, and gives them access.',
    parts: [part('m.users', 'users', 'users', 'UsersApi', 'Users', 'Merging')],
  },
  {
    file: 'sessions',
    title: 'm.sessions',
    lead: 'Logins. A site with [its own login](../your-own-login.md) needs none of these.',
    parts: [part('m.sessions', 'sessions', 'sessions', 'SessionsApi')],
  },
  {
    file: 'checkout',
    title: 'm.checkout',
    lead: 'Purchases that code begins. Your pages can use [forms](../http-routes.md) instead.',
    parts: [part('m.checkout', 'checkout', 'checkout', 'CheckoutApi')],
  },
  {
    file: 'subscriptions',
    title: 'm.subscriptions',
    lead: 'Members’ actions on a subscription. With `user`, your code is responsible. With `request` instead, the rights of its session apply, as on the package’s own routes. Each action happens once, however often it is requested.',
    parts: [part('m.subscriptions', 'subscriptions', 'subscriptions', 'SubscriptionsApi')],
  },
  {
    file: 'payments',
    title: 'm.payments, m.invoices',
    lead: 'Payments, refunds and invoices. Amounts are minor units: 900 is €9.00.',
    parts: [
      part('m.payments', 'payments', 'payments', 'PaymentsApi'),
      part('m.invoices', 'payments', 'invoices', 'InvoicesApi'),
    ],
  },
  {
    file: 'gifts',
    title: 'm.gifts',
    lead: 'Codes that open a plan for some months: [gifts](../gifts.md).',
    parts: [part('m.gifts', 'gifts', 'gifts', 'GiftsApi')],
  },
  {
    file: 'teams',
    title: 'm.teams',
    lead: 'Seats of a [team](../teams.md). In the examples, `buyTeam(given)` is a purchase of two seats by Bob, and `join(given, subscriptionId)` lets Cleo take the free one.',
    parts: [part('m.teams', 'teams', 'teams', 'TeamsApi')],
  },
  {
    file: 'limits',
    title: 'm.limits',
    lead: 'Counted allowances: [credits and limits](../limits.md).',
    parts: [part('m.limits', 'limits', 'limits', 'LimitsApi')],
  },
  {
    file: 'files',
    title: 'm.files, m.feeds',
    lead: 'Addresses that belong to one member: [private files and feeds](../files-and-feeds.md).',
    parts: [part('m.files', 'files', 'files', 'FilesApi'), part('m.feeds', 'files', 'feeds', 'FeedsApi')],
  },
  {
    file: 'raises',
    title: 'm.raises',
    lead: 'Moves members to a dearer price, with a notice: [price raises](../price-raises.md). `request` is the object of the first example.',
    parts: [part('m.raises', 'raises', 'raises', 'RaisesApi')],
  },
  {
    file: 'pages',
    title: 'm.pages',
    lead: 'The package’s own pages, and forms for yours.',
    parts: [part('m.pages', 'pages', 'pages', 'PagesApi')],
  },
  {
    file: 'webhooks',
    title: 'm.webhooks',
    lead: 'Received events. [The commands](../commands.md) do the same from a terminal.',
    parts: [part('m.webhooks', 'webhooks', 'webhooks', 'WebhooksApi')],
  },
  {
    file: 'operator',
    title: 'm.operator',
    lead: 'Actions of operators. The office and the command line use the same calls.',
    parts: [
      part(
        'm.operator',
        'operator',
        'operator',
        'OperatorApi',
        'foreign:ForeignApi',
        'declarations:DeclarationsApi',
        'outbox:OutboxApi',
        'audit:AuditApi',
        'catalogue:CatalogueApi',
      ),
    ],
  },
  {
    file: 'reports',
    title: 'm.reports: the website index',
    lead: 'Calls of the operator of a [website index](../website-index.md). In the examples, `addStudio(m)` adds a partner. `addWebsite(m, url)` and `sendList(m)` are requests of that partner. With `requestStudio(m, txt)`, another partner asks for the studio’s website and proves its host. `actor` stands in the audit log: `operator` by default.',
    parts: [
      part('m.reports', 'reports', 'index', 'ReportsApi'),
      part('m.reports.partners', 'reports', 'partners', 'IndexPartners'),
      part('m.reports.keys', 'reports', 'keys', 'IndexKeys'),
      part('m.reports.operator', 'reports', 'operator', 'IndexOperator'),
      part('m.reports.audit', 'reports', 'audit', 'IndexAudit'),
      part('m.reports.crawl', 'reports', 'crawl', 'IndexCrawl'),
    ],
  },
]

type Declared = ts.InterfaceDeclaration | ts.TypeAliasDeclaration

/** Every interface and alias of the layers that the interface speaks of, by name. */
function readTypes(): Map<string, Declared> {
  const found = new Map<string, Declared>()
  const files = ['core', 'memberships', 'site', 'reports']
    .flatMap((name) =>
      readdirSync(join(root, 'src', name), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(root, 'src', name, file),
      ),
    )
    .filter((file) => file.endsWith('.ts') && statSync(file).isFile())
  // The interface of the instance comes first, and the modules' contracts among themselves (`life.ts`) last.
  const isInner = (file: string) => Number(file.endsWith('/life.ts'))
  const sorted = files.sort((a, b) => isInner(a) - isInner(b) || (a < b ? -1 : 1))
  for (const file of [join(root, 'src/site/membership-api.ts'), ...sorted]) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
    for (const statement of source.statements)
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
        if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
          if (!found.has(statement.name.text)) found.set(statement.name.text, statement)
  }
  return found
}

/** What a type says about a call. */
interface Said {
  readonly sentence: string
  readonly throws: string
  readonly parameters: readonly string[]
  readonly fields: readonly Field[]
}

interface Field {
  readonly name: string
  readonly isOptional: boolean
  readonly text: string
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** The words of a comment, and of its `@throws`. */
function commentOf(node: ts.Node): { sentence: string; throws: string } {
  const [text = '', throws = ''] = ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map((doc) =>
      doc
        .getText()
        .replace(/^\/\*\*|\*\/$/g, '')
        .replace(/^\s*\*/gm, ''),
    )
    .join(' ')
    .split(/@throws/)
  return { sentence: oneLine(text.replace(/\{@link (\w+)\s*\}/g, '`$1`')), throws: oneLine(throws) }
}

type Types = ReadonlyMap<string, Declared>

/** The members of a type, as far as names lead to them. */
function membersOf(
  type: ts.TypeNode | ts.InterfaceDeclaration | undefined,
  types: Types,
  depth = 0,
): readonly ts.TypeElement[] {
  if (type === undefined || depth > 4) return []
  if (ts.isInterfaceDeclaration(type)) return [...type.members]
  if (ts.isTypeLiteralNode(type)) return [...type.members]
  if (ts.isParenthesizedTypeNode(type)) return membersOf(type.type, types, depth + 1)
  if (ts.isIntersectionTypeNode(type)) return type.types.flatMap((item) => membersOf(item, types, depth + 1))
  if (ts.isUnionTypeNode(type)) return type.types.flatMap((item) => membersOf(item, types, depth + 1))
  if (ts.isTypeReferenceNode(type)) {
    const name = type.typeName.getText()
    // A member is no input of named parts.
    const declared = name === 'User' ? undefined : types.get(name)
    if (declared === undefined) return []
    return membersOf(ts.isInterfaceDeclaration(declared) ? declared : declared.type, types, depth + 1)
  }
  return []
}

/** The function that a member or a named type is. */
function functionOf(type: ts.TypeNode | undefined, types: Types): ts.SignatureDeclaration | null {
  if (type === undefined) return null
  if (ts.isFunctionTypeNode(type)) return type
  if (ts.isIndexedAccessTypeNode(type)) {
    const name = type.indexType.getText().replaceAll("'", '')
    const member = membersOf(type.objectType, types).find((item) => item.name?.getText() === name)
    return member === undefined ? null : signatureOf(member, types)
  }
  if (!ts.isTypeReferenceNode(type)) return null
  const declared = types.get(type.typeName.getText())
  if (declared === undefined) return null
  if (ts.isTypeAliasDeclaration(declared)) return functionOf(declared.type, types)
  return declared.members.find(ts.isCallSignatureDeclaration) ?? null
}

function signatureOf(member: ts.TypeElement, types: Types): ts.SignatureDeclaration | null {
  if (ts.isMethodSignature(member)) return member
  return ts.isPropertySignature(member) ? functionOf(member.type, types) : null
}

function fieldsOf(type: ts.TypeNode | undefined, types: Types): Field[] {
  const names = new Map<string, Field>()
  for (const member of membersOf(type, types)) {
    const name = member.name?.getText() ?? ''
    if (name !== '' && !names.has(name))
      names.set(name, {
        name,
        isOptional: member.questionToken !== undefined,
        text: commentOf(member).sentence,
      })
  }
  return [...names.values()]
}

function saidOf(member: ts.TypeElement, types: Types): Said {
  const signature = signatureOf(member, types)
  const own = commentOf(member)
  const named = ts.isPropertySignature(member) && member.type && ts.isTypeReferenceNode(member.type)
  const alias = named ? types.get(member.type.typeName.getText()) : undefined
  const inherited = alias === undefined ? { sentence: '', throws: '' } : commentOf(alias)
  const behind = signature === null ? { sentence: '', throws: '' } : commentOf(signature)
  const parameters = signature?.parameters ?? []
  return {
    sentence: own.sentence || behind.sentence || inherited.sentence,
    throws: own.throws || behind.throws || inherited.throws,
    parameters: parameters.map(
      ({ name, questionToken }) => `${name.getText()}${questionToken === undefined ? '' : '?'}`,
    ),
    fields: parameters.length === 1 ? fieldsOf(parameters[0]?.type, types) : [],
  }
}

/** The calls of some types by name; `outbox:OutboxApi` puts a name before each. */
function callsOf(names: readonly string[], types: Types): Map<string, Said> {
  const calls = new Map<string, Said>()
  for (const listed of names) {
    const [group, name = group] = listed.split(':')
    const declared = types.get(name ?? '')
    if (declared === undefined || !ts.isInterfaceDeclaration(declared))
      throw new Error(`no interface ${listed}`)
    for (const member of declared.members) {
      const own = member.name?.getText() ?? ''
      const call = name === group ? own : `${group}.${own}`
      if (!calls.has(call)) calls.set(call, saidOf(member, types))
    }
  }
  return calls
}

/** The bodies of the examples in a file, as the page shows them. */
export function examplesIn(text: string, constant: string): Map<string, string> {
  const source = ts.createSourceFile('examples.ts', text, ts.ScriptTarget.Latest, true)
  const found = new Map<string, string>()
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue
    const [declaration] = statement.declarationList.declarations
    if (declaration?.name.getText() !== constant) continue
    const object = declaration.initializer
    if (object === undefined || !ts.isObjectLiteralExpression(object)) continue
    for (const method of object.properties)
      if (ts.isMethodDeclaration(method) && method.body)
        found.set(method.name.getText().replaceAll("'", ''), shownBody(method.body, text))
  }
  return found
}

function shownBody(body: ts.Block, text: string): string {
  return body.statements
    .filter((statement) => !/^const \{[^}]*\} = given$/.test(statement.getText()))
    .map((statement) => {
      const [before = ''] = [text.slice(statement.getFullStart(), statement.getStart())]
      const comments = before
        .split('\n')
        .filter((line, index) => index > 0 && line.trim().startsWith('//'))
        .map((line) => line.trim())
      const after = /^ *\/\/ (.*)/.exec(text.slice(statement.getEnd()))?.[1]
      return [...comments, shownStatement(statement, after)].join('\n')
    })
    .join('\n')
}

function flat(node: ts.Node): string {
  const text = node.getText()
  return text.includes('\n') && !text.includes('{\n')
    ? text
        .replace(/\n\s*/g, ' ')
        .replace(/([([]) /g, '$1')
        .replace(/,? ([)\]])/g, '$1')
        .replace(/ \./g, '.')
    : dedent(text, 4)
}

function dedent(text: string, by: number): string {
  return text.replaceAll(`\n${' '.repeat(by)}`, '\n')
}

/** An expectation is shown as the value behind a comment: `member.email // 'ann@example.com'`. */
function shownStatement(statement: ts.Statement, note: string | undefined): string {
  const behind = note === undefined ? '' : `, ${note}`
  if (ts.isExpressionStatement(statement) && ts.isCallExpression(statement.expression)) {
    const { expression, arguments: given } = statement.expression
    const [actual, expected] = given
    if (expression.getText() === 'equal' && actual && expected) {
      const failing = /^await codeOf\((?:async )?(?:\(\) => )?([\s\S]*)\)$/.exec(flat(actual))?.[1]
      if (failing === undefined) return `console.log(${flat(actual)}) // ${flat(expected)}${behind}`
      const call = /^\w+$/.test(failing) ? `${failing}()` : failing
      return `await ${call} // throws ${flat(expected).replaceAll("'", '')}${behind}`
    }
  }
  return `${dedent(statement.getText(), 4)}${note === undefined ? '' : ` // ${note}`}`
}

function withCodes(text: string): string {
  return text.replace(/ERR_\w+/g, (code) => `[\`${code}\`](../errors.md#${code.toLowerCase()})`)
}

function fullStop(text: string): string {
  return /[.:)]$/.test(text) ? text : `${text}.`
}

function inputOf({ fields }: Said): string[] {
  if (fields.length === 0) return []
  const names = fields.map(({ name, isOptional }) => `${name}${isOptional ? '?' : ''}`).join(', ')
  const said = fields
    .filter(({ text }) => text !== '')
    .map(({ name, text }) => `- \`${name}\`: ${fullStop(text)}`)
  return [`It takes \`{ ${names} }\`.`, ...(said.length === 0 ? [] : [said.join('\n')])]
}

/** A page as it must stand in docs/reference. */
export function referencePage(page: Page, types = readTypes()): string {
  const sections = page.parts.flatMap(({ prefix, examples: [file, constant], types: names }) => {
    const calls = callsOf(names, types)
    const all = types.get(names[0] ?? '')
    const common = all === undefined || page.file !== 'subscriptions' ? '' : commentOf(all).throws
    const shown = [...examplesIn(readFileSync(join(folder, `${file}.ts`), 'utf8'), constant)].map(
      ([name, code]) => {
        const said = calls.get(name)
        if (said === undefined || said.sentence === '')
          throw new Error(`${prefix}.${name} has no sentence in its type`)
        return [
          `## ${prefix}.${name}(${said.parameters.join(', ')})`,
          withCodes(fullStop(said.sentence)),
          `\`\`\`ts\n${code}\n\`\`\``,
          ...inputOf(said),
          ...(said.throws === '' ? [] : [`Throws ${withCodes(fullStop(said.throws))}`]),
        ].join('\n\n')
      },
    )
    return common === '' ? shown : [`Each call throws ${withCodes(fullStop(common))}`, ...shown]
  })
  return `${[`# ${page.title}`, page.lead, '[The examples of this site](README.md) share their members and plans.', ...sections].join('\n\n')}\n`
}

/** The page that explains the others. */
export function overviewPage(): string {
  return [
    '# Reference of m, by namespace',
    'Each call has a sentence, an example and its errors. A test of this package runs every example on a site of its own:',
    [
      '```ts',
      'const member = await m.users.findById(ann.id)',
      "console.log(member?.email) // 'ann@example.com'",
      "await m.users.create({ email: 'ann@example.com' }) // throws ERR_EMAIL_TAKEN",
      '```',
    ].join('\n'),
    'A value behind `//` is what the line gives.',
    [
      '- `m` is the instance. It sells the plans `pro`, `team` and `book`.',
      '- `ann` is a member who pays for `pro` each month, and `bob` one who has bought nothing.',
      '- `fake` is the [fake Stripe](../testing.md), on 15 January 2026, and `pay(url)` pays there as a buyer.',
      '- `app` is a Koa application, and `open(path)` asks it as one browser. With a form, it posts.',
      '- `mails` are the mails that left.',
    ].join('\n'),
    'Every `list` gives its first page when you `await` it, and every item when you iterate over it with `for await`. The loop reads a page when it gets there. `limit` is the size of a page.',
    '`get` throws [`ERR_NOT_FOUND`](../errors.md#err_not_found), and what begins with `find` returns null. Three older calls throw as well: `m.gifts.find`, `m.teams.find` and `m.reports.keys.find`.',
    '`by` is the name of the person who acts, at most 200 characters. A call that gets it is recorded in [the audit log](operator.md); without it, nothing is recorded.',
    pages.map(({ file, title }) => `- [${title}](${file}.md)`).join('\n'),
    'The [command line](cli.md) has a page of its own. The page “API” of the site lists every exported type.\n',
  ].join('\n\n')
}

/** Every file of docs/reference with its text. */
export async function referenceFiles(): Promise<ReadonlyMap<string, string>> {
  const types = readTypes()
  return new Map([
    ['README.md', overviewPage()],
    ['cli.md', await cliPage()],
    ...configGroups.map((group): [string, string] => [fileOf(group), configurationPage(group)]),
    ...pages.map((page): [string, string] => [`${page.file}.md`, referencePage(page, types)]),
  ])
}
