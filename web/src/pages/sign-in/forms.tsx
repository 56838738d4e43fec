import { type Signal, useSignal } from '@preact/signals';
import { ApiProblem, post } from '../../api/client';
import type { CreatedSession, SignedIn } from '../../api/types';
import { Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Password } from '../../components/form/password';
import { refusalText } from '../../logic/sign-in';
import { into } from '../../state/load';
import { errorMessage } from '../../state/toast';

/** Shown before the user has to choose a password. */
const PASSWORD_HINT = 'At least 15 characters. A few unrelated words are easy to type.';

const explainAs =
  (wrong: string) =>
  (error: unknown): string =>
    error instanceof ApiProblem ? refusalText(wrong, error, errorMessage(error)) : errorMessage(error);

/** A line that a password manager or the browser can fill in. Without `set`, it shows which account this is. */
function Line(props: {
  label: string;
  autoComplete: 'username' | 'name';
  value: string;
  set?: (value: string) => void;
  error?: string | undefined;
}) {
  const { set = () => undefined, ...line } = props;
  const isEmail = line.autoComplete === 'username';
  return (
    <Text
      {...line}
      set={set}
      readOnly={!props.set}
      type={isEmail ? 'email' : 'text'}
      autocapitalize={isEmail ? 'off' : 'words'}
    />
  );
}

const NewPassword = ({ label, of, error }: { label: string; of: Signal<string>; error: string | undefined }) => (
  <Password label={label} isNew hint={PASSWORD_HINT} value={of.value} set={into(of)} error={error} />
);

/** Returns the state of the second-factor code. A form shows the field only after the service asks for a code. */
function useSecondFactor() {
  const [isAsked, code] = [useSignal(false), useSignal('')];
  /** Sends a request, including the code if it was requested. */
  const send = async <T,>(request: (more: { second_factor?: string }) => Promise<T>): Promise<T> => {
    try {
      return await request(isAsked.value ? { second_factor: code.value } : {});
    } catch (error) {
      if (isSecondFactorAsked(error)) isAsked.value = true;
      throw error;
    }
  };
  return { isAsked, code, send };
}

/** Whether the service asks for a second factor, because everything else was correct. */
export const isSecondFactorAsked = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'second_factor_required';

/** A field for an authenticator app code. Phones can fill it in. */
export const SecondFactorField = ({ of }: { of: Signal<string> }) => (
  <Text
    label="Code"
    hint="The six digits that your authenticator app shows, or a recovery code."
    autoComplete="one-time-code"
    autofocus
    value={of.value}
    set={into(of)}
  />
);

const WRONG_CODE = 'The code is wrong or was used before. Wait for the next one.';

/**
 * Signs in with an email address and password, plus a code if there is a second factor. `email` is the user's email
 * address, if known.
 */
export function PasswordForm(props: { email: string; action: string; then: (made: SignedIn) => void | Promise<void> }) {
  const [email, password] = [useSignal(props.email), useSignal('')];
  const { isAsked, code, send } = useSecondFactor();
  const save = async () => {
    const typed = { email: email.value, password: password.value };
    await props.then(await send((more) => post<CreatedSession>('/auth/session', { ...typed, ...more })));
  };
  const explain = (error: unknown): string =>
    isSecondFactorAsked(error) ? '' : explainAs(isAsked.value ? WRONG_CODE : 'Wrong email or password.')(error);
  return (
    <Form save={save} action={props.action} isOpen explain={explain}>
      {() => (
        <>
          <Line label="Email" autoComplete="username" value={email.value} set={into(email)} />
          <Password label="Password" value={password.value} set={into(password)} />
          {isAsked.value && <SecondFactorField of={code} />}
        </>
      )}
    </Form>
  );
}

/** Asks for the second factor when a user signs in with a link. */
export function CodeForm({ save }: { save: (secondFactor: string) => Promise<void> }) {
  const code = useSignal('');
  return (
    <Form save={() => save(code.value)} action="Sign in" isOpen explain={explainAs(WRONG_CODE)}>
      {() => <SecondFactorField of={code} />}
    </Form>
  );
}

export function KeyForm({ then }: { then: (made: SignedIn) => void }) {
  const key = useSignal('');
  const save = async () => then(await post<CreatedSession>('/auth/session', { api_key: key.value.trim() }));
  return (
    <Form save={save} action="Sign in" isOpen explain={explainAs('This key is not valid.')}>
      {() => (
        <Text
          label="API key"
          hint="A key with any role. You can do what the role of the key allows."
          type="password"
          autoComplete="current-password"
          placeholder="ums_…"
          value={key.value}
          set={into(key)}
        />
      )}
    </Form>
  );
}

/** The fields for a new account. `email` is `null` unless it is known from an invitation. */
export function AccountForm(props: {
  email: string | null;
  action: string;
  make: (fields: { name: string; password: string; email?: string }) => Promise<void>;
}) {
  const [email, name, password] = [useSignal(props.email ?? ''), useSignal(''), useSignal('')];
  const save = () =>
    props.make({
      name: name.value,
      password: password.value,
      ...(props.email === null && { email: email.value }),
    });
  return (
    <Form save={save} action={props.action} isOpen>
      {({ problem }) => (
        <>
          <Line label="Name" autoComplete="name" value={name.value} set={into(name)} error={problem('/name')} />
          <Line
            label="Email"
            autoComplete="username"
            value={email.value}
            {...(props.email === null && { set: into(email) })}
            error={problem('/email')}
          />
          <NewPassword label="Password" of={password} error={problem('/password')} />
        </>
      )}
    </Form>
  );
}

/** Sets a new password for the account with this email address. */
export function NewPasswordForm(props: {
  email: string;
  save: (fields: { password: string; second_factor?: string }) => Promise<void>;
}) {
  const password = useSignal('');
  const { isAsked, code, send } = useSecondFactor();
  return (
    <Form
      save={() => send((more) => props.save({ password: password.value, ...more }))}
      action="Set password and sign in"
      isOpen
    >
      {({ problem }) => (
        <>
          <Line label="Email" autoComplete="username" value={props.email} />
          <NewPassword label="New password" of={password} error={problem('/password')} />
          {isAsked.value && <SecondFactorField of={code} />}
        </>
      )}
    </Form>
  );
}
