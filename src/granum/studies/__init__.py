"""Published experiments, each a scenario with what it must show.

In: the name of a study, a variant, quick or whole. Out: the tables of a scenario, and after the run
pictures, plots and what was found. A new study is one module here and its line in ``STUDIES``.
"""

from granum.studies.cluster_stiffness import ClusterStiffnessStudy
from granum.studies.clusters import ClustersStudy
from granum.studies.hourglass import HourglassStudy
from granum.studies.study import Study

STUDIES: dict[str, Study] = {
    study.name: study for study in (HourglassStudy(), ClustersStudy(), ClusterStiffnessStudy())
}

__all__ = ["STUDIES", "Study"]
