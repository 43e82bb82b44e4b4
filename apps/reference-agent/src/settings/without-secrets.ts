const secretNames = /key|token|secret|password|credential/i;
const passwordInAddress = /(\w[\w+.-]*:\/\/)[^\s/@]+@/g;
const secretParameter = /([?&][^=&\s]*(?:key|token|secret|password|credential|sig)[^=&\s]*=)[^&\s"]+/gi;
const authorization = /\b((?:bearer|basic)\s+)(?!\$\{)[^\s"']{6,}/gi;
/** How keys of providers and of code hosts begin. */
const knownForms = /\b(?:sk|pk|rk|gh[opsu]|github_pat|glpat|xox[abp]|AKIA)[-_A-Za-z0-9]{16,}/g;

/** A value of a configuration for a screen: what may be a key is not shown, though a key has no place in a configuration. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') {
    return value
      .replace(passwordInAddress, '$1[secret]@')
      .replace(secretParameter, '$1[secret]')
      .replace(authorization, '$1[secret]')
      .replace(knownForms, '[secret]');
  }
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      secretNames.test(name) && typeof one === 'string' ? '[secret]' : withoutSecrets(one),
    ]),
  );
}
