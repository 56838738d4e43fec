import { IsBoolean, IsIn, IsInt, IsOptional, Matches, Max, MaxLength, Min } from 'class-validator';
import { ConfigError, Env } from './env';
import { loadSettings } from './validated-settings';

class RunnerSettings {
  @Env('RUNNER_SLOTS') @IsInt() @Min(1) @Max(10) slots = 2;
  @Env('RUNNER_NAMES') @MaxLength(3, { each: true }) names: string[] = [];
  @Env('RUNNER_FAST') @IsBoolean({ message: 'must be on or off' }) fast = false;
  @Env('RUNNER_MODE') @IsIn(['a', 'b']) mode = 'a';
  @Env('RUNNER_TOKEN') @IsOptional() @Matches(/^\d+$/, { message: 'must be digits' }) token: string | null = null;
}

describe('settings of a class with rules of class-validator', () => {
  it('are read by the type of their default', () => {
    const given = { RUNNER_SLOTS: '3', RUNNER_NAMES: 'x, y,', RUNNER_FAST: 'ON', RUNNER_MODE: 'b', RUNNER_TOKEN: '12' };
    const read = { slots: 3, names: ['x', 'y'], fast: true, mode: 'b', token: '12' };
    expect(loadSettings(RunnerSettings, given)).toEqual(read);
    expect(loadSettings(RunnerSettings, { RUNNER_SLOTS: '' })).toEqual(new RunnerSettings());
  });

  it('are read even if no rule validates any of them', () => {
    class Settings {
      @Env('BILLING_CURRENCY') currency = 'EUR';
      @Env('BILLING_DAYS') days = 14;
    }
    expect(loadSettings(Settings, { BILLING_CURRENCY: 'CHF' })).toEqual({ currency: 'CHF', days: 14 });
  });

  it.each([
    ['RUNNER_SLOTS', '11', 'RUNNER_SLOTS must be a whole number from 1 to 10, not "11".'],
    ['RUNNER_SLOTS', 'x', 'RUNNER_SLOTS must be a whole number from 1 to 10, not "x".'],
    ['RUNNER_NAMES', 'ok,long', 'RUNNER_NAMES must be shorter than or equal to 3 characters, not "ok,long".'],
    ['RUNNER_FAST', 'maybe', 'RUNNER_FAST must be on or off, not "maybe".'],
    ['RUNNER_MODE', 'c', 'RUNNER_MODE must be one of the following values: a, b, not "c".'],
    ['RUNNER_TOKEN', 'secret', 'RUNNER_TOKEN must be digits.'],
  ])('%s=%s is refused in one sentence', (name, text, sentence) => {
    expect(() => loadSettings(RunnerSettings, { [name]: text })).toThrow(new ConfigError([sentence]));
  });

  it('are refused all at once', () => {
    const wrong = { RUNNER_SLOTS: '0', RUNNER_FAST: 'x' };
    expect(() => loadSettings(RunnerSettings, wrong)).toThrow(
      /^2 settings are wrong:\n  - RUNNER_SLOTS .*\n  - RUNNER_FAST /,
    );
  });
});
