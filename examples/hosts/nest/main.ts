import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { App } from './app.js'
import { mount } from './membership.js'

const app = await NestFactory.create(App)
await mount(app)
await app.listen(Number(process.env.PORT ?? 3000))
