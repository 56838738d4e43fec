import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../platform/access/caller';
import { SecurityTxt } from './security-txt';

/** Serves security.txt for people who have found a vulnerability. */
@ApiExcludeController()
@Controller('.well-known')
export class SecurityTxtController {
  constructor(private readonly securityTxt: SecurityTxt) {}

  @Get('security.txt')
  @Access('public')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  read(): string {
    return this.securityTxt.text();
  }
}
