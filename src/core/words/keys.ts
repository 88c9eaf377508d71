// Made from templates/words/en.yml by `npm run words`.

/** Every text of the pages, with the names of its placeholders. */
export interface Words {
  'page.skip': never
  'page.main_menu': never
  'page.articles': never
  'page.prices': never
  'page.account': never
  'page.mailbox': never
  'page.partner_api': never
  'page.language': never
  'login.email': never
  'login.send': never
  'login.ask.title': never
  'login.ask.how': never
  'login.sent.title': never
  'login.sent.text': 'email'
  'login.sent.mailbox': never
  'login.sent.again': never
  'login.confirm.title': never
  'login.confirm.heading': 'email'
  'login.confirm.text': never
  'login.confirm.button': never
  'login.change.title': never
  'login.change.heading': 'email'
  'login.change.text': never
  'login.change.button': never
  'login.undo.title': never
  'login.undo.heading': 'email'
  'login.undo.text': never
  'login.undo.button': never
  'switching.title': never
  'switching.why': never
  'switching.none': never
  'switching.bought': never
  'switching.now': 'date'
  'switching.later': 'date'
  'switching.button': never
  'switching.back': never
}
