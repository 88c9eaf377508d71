declare module 'textlint-rule-terminology' {
  const rule: import('@textlint/types').TextlintFixableRuleModule
  export default rule
}
