// Draws the charts, and keeps their colours those of the page: light, dark or print.
(() => {
  const THEMES = JSON.parse(document.getElementById("themes").textContent)
  const paint = {
    Figure: (m, c) => m.setv({ background_fill_color: c.ground, border_fill_color: c.ground, outline_line_color: c.grid }),
    Title: (m, c) => m.setv({ text_color: c.ink }),
    Axis: (m, c) => m.setv({
      axis_label_text_color: c.muted, major_label_text_color: c.ink, axis_line_color: c.muted,
      major_tick_line_color: c.muted, minor_tick_line_color: c.grid,
    }),
    Grid: (m, c) => m.setv({ grid_line_color: c.grid }),
    Legend: (m, c) => m.setv({ label_text_color: c.ink, background_fill_color: c.ground }),
    Line: (m, c) => m.setv({ line_color: c.lines[m.tags[1]] }),
    Span: (m, c) => m.setv({ line_color: c.muted }),
    Label: (m, c) => m.setv({ text_color: c.ink }),
  }
  const kind = (type) => type.endsWith("Axis") ? "Axis" : type === "Plot" ? "Figure" : type
  const roots = () => Bokeh.documents.flatMap((doc) => doc.roots())
  const recolour = (theme) => {
    for (const root of roots()) {
      for (const model of root.references()) {
        const brush = paint[kind(model.type)]
        // Glyphs that are not seen (what the pointer meets, muted and selected ones) have no tag.
        if (brush && (model.type !== "Line" || model.tags.length)) brush(model, THEMES[theme])
      }
    }
  }
  const fit = () => {
    for (const root of roots()) {
      for (const model of root.references()) {
        if (model.type === "Legend") model.ncols = Math.max(1, Math.floor((document.body.clientWidth - 110) / 180))
      }
    }
  }
  const dark = matchMedia("(prefers-color-scheme: dark)")
  const now = () => recolour(dark.matches && !matchMedia("print").matches ? "dark" : "light")
  const items = [...document.querySelectorAll("script[type='application/json'].chart")]
  Promise.all(items.map((item) => Bokeh.embed.embed_item(JSON.parse(item.textContent)))).then(() => {
    now()
    fit()
    dark.addEventListener("change", now)
    addEventListener("resize", fit)
    addEventListener("beforeprint", () => recolour("light"))
    addEventListener("afterprint", now)
    document.documentElement.dataset.charts = "ready"
  })
})()
