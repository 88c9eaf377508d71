import type { IncomingMessage, ServerResponse } from 'node:http'
import { Controller, Get, Header, Module, Post, Redirect, Req, Res, UseGuards } from '@nestjs/common'
import { membership } from 'membership'
import { form, gate, who } from './membership.js'

@Controller()
class Pages {
  @Get()
  @Header('Content-Type', 'text/html')
  home(@Req() request: object, @Res({ passthrough: true }) response: object) {
    return form(request, response, {
      ...membership().provider().subscriptionAction('price_pro'),
      label: 'Join',
    })
  }

  @Get('archive')
  @UseGuards(gate('pro'))
  archive() {
    return 'The archive.'
  }

  @Post('buy')
  @Redirect()
  buy(@Req() request: IncomingMessage, @Res({ passthrough: true }) response: ServerResponse) {
    return membership().checkout.start({
      ...who(request, response),
      price: 'price_pro',
      redirect: '/archive',
    })
  }

  @Post('cancel')
  async cancel(@Req() request: IncomingMessage, @Res({ passthrough: true }) response: ServerResponse) {
    const [subscription] = membership().user()?.subscriptions() ?? []
    await membership().subscriptions.cancel({
      ...who(request, response),
      subscriptionId: subscription?.id ?? '',
    })
    return 'Cancelled.'
  }
}

@Module({ controllers: [Pages] })
export class App {}
