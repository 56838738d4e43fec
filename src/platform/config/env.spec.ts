import 'reflect-metadata';
import { Env, loadSettings } from './env';

describe('settings of a class', () => {
  it('are read also when no rule judges any of them', () => {
    class Settings {
      @Env('BILLING_CURRENCY') currency = 'EUR';
      @Env('BILLING_DAYS') days = 14;
    }
    expect(loadSettings(Settings, { BILLING_CURRENCY: 'CHF' })).toEqual({ currency: 'CHF', days: 14 });
  });
});
