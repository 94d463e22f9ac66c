"""Actions of AI2-THOR 5.0.0 that this world does not have, and why.

The reasons are part of the answer to such an action, and of the table in docs/household-actions.md.
"""

from collections.abc import Mapping

NO_ARM = "it has no robot arm; its agent holds objects in front of the camera"
NO_DRONE = "it has no drone"
NO_ASSETS = "it lacks AI2-THOR's assets; capture the house from AI2-THOR and play it by its name"
NO_PHYSICS = "it has no continuous physics; objects are at rest after every action"
NO_DRAWING = "its pictures show only the home"
OLD = "MoveHeldObject, its forms and RotateHeldObject do what it did"
FIXED_SIZES = "its objects keep their sizes"
NO_POINTS = "its objects have no such points"

ABSENT: Mapping[str, str] = {
    "MoveArm": NO_ARM,
    "MoveArmBase": NO_ARM,
    "MoveArmBaseUp": NO_ARM,
    "MoveArmBaseDown": NO_ARM,
    "MoveArmRelative": NO_ARM,
    "MoveMidLevelArm": NO_ARM,
    "RotateWrist": NO_ARM,
    "RotateWristRelative": NO_ARM,
    "RotateElbow": NO_ARM,
    "RotateElbowRelative": NO_ARM,
    "ReleaseObject": NO_ARM,
    "SetHandSphereRadius": NO_ARM,
    "TeleportArm": NO_ARM,
    "TouchObject": NO_ARM,
    "MoveAgent": NO_ARM,
    "RotateAgent": NO_ARM,
    "FlyAhead": NO_DRONE,
    "FlyBack": NO_DRONE,
    "FlyLeft": NO_DRONE,
    "FlyRight": NO_DRONE,
    "FlyUp": NO_DRONE,
    "FlyDown": NO_DRONE,
    "FlyTo": NO_DRONE,
    "FlyRandomStart": NO_DRONE,
    "LaunchDroneObject": NO_DRONE,
    "CheckDroneCaught": NO_DRONE,
    "SpawnDroneLauncher": NO_DRONE,
    "CreateHouse": NO_ASSETS,
    "CreateObject": NO_ASSETS,
    "CreateObjectAtLocation": NO_ASSETS,
    "CreateObjectOnFloor": NO_ASSETS,
    "SpawnAsset": NO_ASSETS,
    "GetAssetDatabase": NO_ASSETS,
    "AssetInDatabase": NO_ASSETS,
    "SpawnTargetCircle": NO_ASSETS,
    "RandomlyCreateLiquid": NO_PHYSICS,
    "ApplyForceObject": NO_PHYSICS,
    "LaunchObject": NO_PHYSICS,
    "ChangeTimeScale": NO_PHYSICS,
    "VisualizePath": NO_DRAWING,
    "VisualizeGrid": NO_DRAWING,
    "HideVisualizedPath": NO_DRAWING,
    "VisualizeShortestPaths": NO_DRAWING,
    "SetSkybox": NO_DRAWING,
    "GetVisibilityPoints": NO_POINTS,
    "MoveHand": OLD,
    "MoveHandDelta": OLD,
    "MoveHandAhead": OLD,
    "MoveHandBack": OLD,
    "MoveHandLeft": OLD,
    "MoveHandRight": OLD,
    "MoveHandUp": OLD,
    "MoveHandDown": OLD,
    "RotateHand": OLD,
    "ScaleObject": FIXED_SIZES,
}
