/** Colours that differ for most eyes, on light and dark; the first is that of doing nothing. Names are those of the style. */
export function policyColour(index: number): string {
  return resolved(`--policy-${index % 9}`);
}

/** A colour of the style as a canvas takes it, in the theme of now. */
export function resolved(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
