/** What a caller may do in an organization. A route names the permission that it needs. */
export type Permission = 'read' | 'secrets.read' | 'incidents.respond' | 'alerts.mute' | 'write' | 'admin';

/** The roles of keys and members. If several rules grant a role, the last one in this list applies. */
export const ROLES = ['read', 'responder', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const READ = ['read'] as const;
const RESPOND = [...READ, 'incidents.respond', 'alerts.mute'] as const;
const WRITE = [...RESPOND, 'secrets.read', 'write'] as const;

const PERMISSIONS: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  read: new Set(READ),
  responder: new Set(RESPOND),
  write: new Set(WRITE),
  admin: new Set([...WRITE, 'admin']),
};

/** Whether the role of the caller has the permission. */
export const may = ({ role }: { readonly role: Role }, permission: Permission): boolean =>
  PERMISSIONS[role].has(permission);

/** Returns the role with the fewest permissions that has this one. */
export const leastRoleWith = (permission: Permission): Role =>
  ROLES.find((role) => may({ role }, permission)) ?? 'admin';
