//! Lines over sizes, as SVG.

use core::error::Error;
use std::path::Path;

use plotters::prelude::*;

/// Told apart by the colour-blind too.
const COLOURS: [RGBColor; 8] = [
    RGBColor(213, 94, 0),
    RGBColor(230, 159, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(120, 120, 120),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Draws a line for each of `lines`, with one speed in GB/s for each of `labels`, which stand at equal distances.
pub(crate) fn draw(
    path: &Path,
    title: &str,
    across: &str,
    labels: &[&str],
    lines: &[(&str, Vec<f64>)],
) -> Result<(), Box<dyn Error>> {
    let fastest = lines.iter().flat_map(|(_, speeds)| speeds).fold(0.0, |fastest: f64, &speed| fastest.max(speed));
    let top = fastest * (1.0 + 0.065 * lines.len() as f64); // the names stand above all lines
    let area = SVGBackend::new(path, (960, 540)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 22))
        .margin(12)
        .margin_right(36)
        .x_label_area_size(48)
        .y_label_area_size(60)
        .build_cartesian_2d(0..labels.len() - 1, 0.0..top)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15))
        .x_desc(across)
        .y_desc("GB/s")
        .x_labels(labels.len())
        .x_label_formatter(&|&i| labels[i].to_string())
        .draw()?;
    for ((name, speeds), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let style = colour.stroke_width(if name.starts_with("simd-digest") { 4 } else { 2 });
        let name = name.replace('`', "");
        let key = move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style);
        chart.draw_series(LineSeries::new(speeds.iter().copied().enumerate(), style))?.label(name).legend(key);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .legend_area_size(32)
        .label_font(("sans-serif", 14))
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    area.present()?;
    Ok(())
}
