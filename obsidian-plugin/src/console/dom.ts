/** The few helpers that Obsidian adds to the DOM, for a browser without Obsidian; typed by Obsidian's own declarations. */
export function installDomHelpers(): void {
  const element = HTMLElement.prototype;
  element.createEl = function (this: HTMLElement, tag: string, options?: DomElementInfo | string) {
    const el = document.createElement(tag);
    const info = typeof options === "string" ? { cls: options } : (options ?? {});
    if (info.cls) el.className = Array.isArray(info.cls) ? info.cls.join(" ") : info.cls;
    if (info.text !== undefined) el.append(info.text);
    for (const [name, value] of Object.entries(info.attr ?? {})) {
      if (value !== null && value !== false) el.setAttribute(name, String(value));
    }
    this.append(el);
    return el;
  } as typeof element.createEl;
  element.createDiv = function (this: HTMLElement, options?: DomElementInfo | string) {
    return this.createEl("div", options);
  };
  element.createSpan = function (this: HTMLElement, options?: DomElementInfo | string) {
    return this.createEl("span", options);
  };
  const createSvg = function (this: Element, tag: string, options?: SvgElementInfo | string) {
    const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
    const info = typeof options === "string" ? { cls: options } : (options ?? {});
    if (info.cls) el.setAttribute("class", [info.cls].flat().join(" "));
    for (const [name, value] of Object.entries(info.attr ?? {})) if (value !== null) el.setAttribute(name, String(value));
    this.append(el);
    return el;
  };
  Element.prototype.createSvg = createSvg as typeof Element.prototype.createSvg;
  element.empty = function (this: HTMLElement) {
    this.replaceChildren();
  };
  element.setText = function (this: HTMLElement, text: string | DocumentFragment) {
    this.replaceChildren(text);
  };
  element.appendText = function (this: HTMLElement, text: string) {
    this.append(text);
  };
  element.addClass = function (this: HTMLElement, ...names: string[]) {
    this.classList.add(...names);
  };
  element.removeClass = function (this: HTMLElement, ...names: string[]) {
    this.classList.remove(...names);
  };
  element.toggleClass = function (this: HTMLElement, names: string | string[], on: boolean) {
    for (const name of [names].flat()) this.classList.toggle(name, on);
  };
  element.setCssProps = function (this: HTMLElement, props: Record<string, string>) {
    for (const [name, value] of Object.entries(props)) this.style.setProperty(name, value);
  };
}
