import express, { type Request } from 'express';
import { clientOf } from '../../../src/platform/access/client-network';
import { fieldCases } from '../../harness/field/field-cases';

interface HeaderCase {
  trusted: string[];
  from: string;
  header: string;
  client: string;
  known?: boolean;
}

describe('the client in the X-Forwarded-For of a trusted proxy', () => {
  it.each(fieldCases<HeaderCase>('x-forwarded-for', ['trusted', 'from', 'header', 'client', 'known']))(
    'is $client: $name',
    ({ trusted, from, header, client, known = true }) => {
      const app = express().set('trust proxy', trusted);
      const socket = { remoteAddress: from } as Request['socket'];
      const found = clientOf({ app, headers: { 'x-forwarded-for': header }, socket });
      expect(found).toEqual({ address: client, isKnown: known });
    },
  );
});
