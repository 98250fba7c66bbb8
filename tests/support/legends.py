"""The words of figures: their legends and their notes."""


def legend_of(figure):
    """The labels of all legends of a figure."""
    legends = figure.legends + [ax.get_legend() for ax in figure.axes if ax.get_legend()]
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def note_of(figure):
    """The note below a figure as one line."""
    return " ".join(figure.get_supxlabel().split())
